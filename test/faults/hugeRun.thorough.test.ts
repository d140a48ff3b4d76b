// F37 in a whole run: the output of a run may be larger than its memory. RECIPEWRIGHT_ALL=1 uses the 600 MB of the fault table.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { expect, onTestFinished, test } from 'vitest';
import { timeoutMs } from '../property/runCount.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [rounds, memoryMb] = process.env.RECIPEWRIGHT_ALL ? [100, 256] : [12, 64];

/** A loop of six nodes that print a megabyte each. */
const program = `
import { defineAction, runRecipe, verifyPackage, z } from './index.js';

const [rounds, dir] = [Number(process.argv[2]), process.argv[3]];
let round = 0;
const own = (name, run) => defineAction({ name, description: name, schema: z.strictObject({}), examples: [], effect: 'reads', fallible: () => true, run });
const actions = [
  own('shop.print', () => ({ output: { text: 'x'.repeat(1_000_000) } })),
  own('shop.count', () => ({ output: { more: ++round < rounds } })),
];
const print = (index) => ['n' + index, { action: 'shop.print', intent: 'Print a lot of text', next: index === 5 ? 'count' : 'n' + (index + 1) }];
const nodes = {
  ...Object.fromEntries([0, 1, 2, 3, 4, 5].map(print)),
  count: { action: 'shop.count', intent: 'Count the rounds so far', next: 'branch' },
  branch: { action: 'switch', intent: 'Go round again', cases: [{ when: { path: '$.count.more', operator: 'truthy' }, next: 'n0' }], default: 'done' },
  done: { action: 'end', status: 'pass' },
};
const recipe = { schema_version: 1, validate: { workflow: { entry: 'n0', nodes } } };
const { exitCode, summary, findings } = await runRecipe(recipe, { artifactsDir: dir + '/out', projectRoot: dir, setup: { actions } });
const { status } = verifyPackage(dir + '/out');
console.log(JSON.stringify({ exitCode, total: summary?.total, errors: findings.filter(({ severity }) => severity === 'error'), status }));
`;

test(`F37 a run with ${rounds * 6} MB of output passes and verifies with ${memoryMb} MB of memory`, {
  timeout: timeoutMs,
}, async () => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const outDir = mkdtempSync(join(root, 'node_modules/.cache/recipewright-test-'));
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => {
    for (const path of [outDir, dir]) rmSync(path, { recursive: true, force: true });
  });
  const bundle = { format: 'esm' as const, outDir, target: 'node20' as const, dts: false, splitting: true };
  await build({ entry: { index: join(root, 'src/index.ts') }, ...bundle, config: false, silent: true });
  writeFileSync(join(outDir, 'program.mjs'), program);
  const args = [`--max-old-space-size=${memoryMb}`, join(outDir, 'program.mjs'), String(rounds), dir];
  const answer = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  expect(answer).toEqual({ exitCode: 0, total: rounds * 8 + 1, errors: [], status: 'verified' });
  expect(statSync(join(dir, 'out/trace.json')).size).toBeGreaterThan(rounds * 6_000_000);
});
