// An action throws after its node has ended, or changes the exit code. The exit code and the package still agree, and report no pass.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { command } from '../../support/command.js';
import { recipeOf } from '../../support/plain.js';
import { plainSetup } from '../../support/plainSetup.js';

async function runWith(action: string) {
  const recipe = recipeOf(
    { last: { action: 'lab.act', proofTarget: 'AC1', assert: { path: '$.ok', operator: 'eq', value: true }, next: 'done' } },
    { proofTargets: [{ id: 'AC1', claim: 'It works.' }] },
  );
  const { dir, run } = cliProject({ 'a.recipe.json': recipe, 'setup.mjs': plainSetup({ 'lab.act': action }) });
  const ended = await run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', '--setup', 'setup.mjs');
  const file = join(dir, 'out/summary.json');
  const summary = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return { ...ended, summary, verify: () => command(dir, 'verify', 'out') };
}

const good = 'return { output: { ok: true } };';
const bad = 'return { output: { ok: false } };';

test.for<[what: string, action: string]>([
  ['an error 20 ms later', `setTimeout(() => { throw new Error('too late'); }, 20); ${good}`],
  ['a rejection 20 ms later', `setTimeout(() => void Promise.reject(new Error('too late')), 20); ${good}`],
  [
    'a promise that nobody awaits',
    `void (async () => { await import('node:fs/promises').then((fs) => fs.readFile('too late')); })(); ${good}`,
  ],
])('%s, after the end of the last node, makes the run unknown with exit 4', async ([, action]) => {
  const { exitCode, summary, stdout, verify } = await runWith(action);
  expect({ exitCode, ...summary }).toMatchObject({ exitCode: 4, status: 'unknown', cause_class: 'harness' });
  expect(summary.reason).toContain('too late');
  expect(stdout).toContain('Recipe run: unknown');
  expect((await verify()).stdout).toContain('Evidence: verified, unknown');
});

test('an error while the process exits also makes the package unknown', async () => {
  const { exitCode, summary, stderr, verify } = await runWith(
    // Throws when the output is printed, after the package is complete.
    `const { write } = process.stdout; process.stdout.write = (...args) => { process.nextTick(() => { throw new Error('far too late'); }); process.stdout.write = write; return write.apply(process.stdout, args); }; ${good}`,
  );
  expect({ exitCode, ...summary }).toMatchObject({ exitCode: 4, status: 'unknown', cause_class: 'harness' });
  expect(stderr).toContain('far too late');
  expect((await verify()).stdout).toContain('Evidence: verified, unknown');
});

test('an "exit" listener that throws makes the run unknown with exit 4, even when a timer would keep the process alive', async () => {
  const { exitCode, summary, stderr, verify } = await runWith(
    `setInterval(() => undefined, 1000); process.on('exit', () => { throw new Error('exit throw'); }); ${good}`,
  );
  expect({ exitCode, ...summary }).toMatchObject({ exitCode: 4, status: 'unknown', cause_class: 'harness' });
  expect(stderr).toContain('exit throw');
  expect((await verify()).stdout).toContain('Evidence: verified, unknown');
});

test('an action that calls process.exit() cannot make the run look passed', async () => {
  const { exitCode, stderr } = await runWith(`process.on('exit', () => { process.exitCode = 0; }); process.exit(0); ${good}`);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('the process ended before the command did');
});

test.for([
  ['a failure, set to 0 by an action', `process.exitCode = 0; ${bad}`, 1, 'fail'],
  ['a failure, set to 0 again and again', `setInterval(() => { process.exitCode = 0; }, 1); ${bad}`, 1, 'fail'],
  ['a failure, set to 0 at the end', `process.on('exit', () => { process.exitCode = 0; }); ${bad}`, 1, 'fail'],
  ['a failure, ended with 0 at the end', `process.on('exit', () => process.exit(0)); ${bad}`, 1, 'fail'],
  ['a pass, set to 3 by an action', `process.exitCode = 3; ${good}`, 0, 'pass'],
  ['a pass, set to 1 at the end', `process.on('exit', () => { process.exitCode = 1; }); ${good}`, 0, 'pass'],
] as const)('the exit code is that of the run: %s', async ([, action, expected, status]) => {
  const { exitCode, summary } = await runWith(action);
  expect({ exitCode, status: summary.status }).toEqual({ exitCode: expected, status });
});
