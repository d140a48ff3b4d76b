// The thread that matches slow patterns, so that they do not block the main thread. Tested from the sources and from a bundle.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { expect, onTestFinished, test } from 'vitest';
import { matchInThread, remainingBudgetMs } from '../../../src/actions/patternThread.js';
import { runMs } from '../../support/patience.js';
import { randomText } from '../../support/randomText.js';

const slow = 'a.{1000}[xy]';
const text = randomText(300_000);

test('matchInThread returns the right answer for each of many parallel calls', async () => {
  const calls = Array.from({ length: 30 }, (_, index) =>
    matchInThread(`^x{${index}}$`, 'x'.repeat(index % 2 === 0 ? index : 31)),
  );
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => ({ held: index % 2 === 0 })));
});

test('matchInThread abandons a slow pattern and still answers the calls after it', async () => {
  const calls = [
    matchInThread('(a+)+$', 'aaa'),
    matchInThread(slow, text),
    matchInThread('(a+)+b', text),
    matchInThread('(', ''),
  ];
  expect(await Promise.all(calls)).toEqual([
    { held: true },
    { problem: expect.stringContaining('was not matched within 250 ms over 300000 characters') },
    { held: true },
    { problem: expect.stringContaining('"(" is not a valid pattern') },
  ]);
});

test('an answer that arrives while the main thread is busy is not too late', async () => {
  await matchInThread('a', 'a');
  const call = matchInThread('(a|b)+$', text);
  await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + 600;
  while (performance.now() < until);
  expect(await call).toEqual({ held: true });
});

test.for([
  [{ wallMs: 250, cpuMs: 250 }, 0],
  [{ wallMs: 250, cpuMs: 400 }, 0],
  [{ wallMs: 250, cpuMs: 60 }, 190],
  [{ wallMs: 29_900, cpuMs: 200.5 }, 50],
  [{ wallMs: 30_000, cpuMs: 10 }, 0],
] as const)(
  'after %j the remaining budget is %i ms, since only CPU time counts, for up to half a minute',
  ([spent, remaining]) => {
    expect(remainingBudgetMs(spent)).toBe(remaining);
  },
);

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = `
import { readFileSync } from 'node:fs';
import { matchInThread } from './patternThread.js';
const answers = [await matchInThread('(a+)+$', 'aaa'), await matchInThread(process.argv[2], readFileSync(0, 'utf8'))];
console.log(JSON.stringify(answers));
`;

test('the pattern thread works from a bundle that contains the library, and does not keep the process alive', async () => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const outDir = mkdtempSync(join(root, 'node_modules/.cache/recipewright-test-'));
  onTestFinished(() => rmSync(outDir, { recursive: true, force: true }));
  const bundle = { format: 'esm' as const, outDir, noExternal: ['re2js'], target: 'node20' as const, dts: false };
  await build({ entry: [join(root, 'src/actions/patternThread.ts')], ...bundle, config: false, silent: true });
  writeFileSync(join(outDir, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(outDir, 'program.mjs'), program);
  const args = ['--max-old-space-size=128', join(outDir, 'program.mjs'), slow];
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8', timeout: runMs, input: text });
  expect(JSON.parse(printed)).toEqual([{ held: true }, { problem: expect.stringContaining('within 250 ms') }]);
});
