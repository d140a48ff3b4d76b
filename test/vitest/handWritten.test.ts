import { expect, test } from 'vitest';
import { exit, recipe, say, sound } from '../support/recipe.js';
import { sharedRun, type VitestRun } from '../support/vitestProject.js';

const native = `
import { runRecipe } from 'recipewright';
import { expectPass } from 'recipewright/vitest';
import { expect, test } from 'vitest';

const run = (name: string) => runRecipe(name, { artifactsDir: 'evidence/' + name });

test('passes', async () => {
  const result = await run('sound.json');
  expectPass(result);
  expect(result.summary.proof[0]?.status).toBe('proven');
});
test('fails', async () => expectPass(await run('three.json')));
test('is invalid', async () => {
  expectPass(await run('invalid.json'));
});
`;

const careless = `
import { runRecipe } from 'recipewright';
import { expectPass } from 'recipewright/vitest';
import { expect, test } from 'vitest';

let count = 0;
const run = (name: string) => runRecipe(name, { artifactsDir: 'evidence/' + count++ });

test('does not wait', () => { void run('endless.json'); });
test('ignores the result', async () => { await run('failing.json'); });
test('looks only whether it ran', async () => { expect((await run('failing.json')).ran).toBe(true); });
test('ignores that it cannot run', async () => { await run('invalid.json'); });
test('catches the error', async () => {
  try { expectPass(await run('failing.json')); } catch {}
});

test('expects the verdict', async () => { expect((await run('failing.json')).verdict).toBe('fail'); });
test('expects an exit code', async () => { expect(await run('failing.json')).toMatchObject({ ran: true, exitCode: 1 }); });
test('expects that it cannot run', async () => { expect((await run('invalid.json')).ran).toBe(false); });
test('ignores a pass', async () => { await run('sound.json'); });
test.fails('is marked as failing', async () => { expectPass(await run('failing.json')); });
test('waits later', async () => {
  const running = run('sound.json');
  await new Promise((done) => setTimeout(done, 1));
  expectPass(await running);
});
`;

const together = `
import { runRecipe } from 'recipewright';
import { expectPass } from 'recipewright/vitest';
import { afterAll, beforeAll, expect, test } from 'vitest';

let count = 0;
export const run = (name: string) => runRecipe(name, { artifactsDir: 'evidence/' + process.pid + '-' + count++ });
export const turn = () => new Promise((done) => setTimeout(done, 50));
`;

const runOnce = sharedRun({
  'native.test.ts': native,
  'careless.test.ts': careless,
  'atOnce.test.ts': `${together}
    test.concurrent('red', async () => { await turn(); await run('failing.json'); });
    test.concurrent('other', async () => {});`,
  'hook.test.ts': `${together}
    beforeAll(async () => { await run('failing.json'); });
    test('other', () => {});`,
  'outside.test.ts': `${together}
    const early = run('failing.json');
    test('other', async () => { await early; });`,
  'pending.test.ts': `${together}
    test.concurrent('starts one', async () => { await turn(); void run('endless.json'); });
    test.concurrent('other', async () => {});`,
  'honest.test.ts': `${together}
    let early;
    beforeAll(async () => { early = await run('failing.json'); });
    test('reads what a hook ran', () => { expect(early.verdict).toBe('fail'); });
    test.concurrent('passes', async () => { await turn(); expectPass(await run('slow.json')); });
    test.concurrent('expects a failure', async () => { expect((await run('failing.json')).verdict).toBe('fail'); });
    test.concurrent('runs none', async () => { await turn(); });`,
  'slow.json': recipe({ wait: { action: 'command', cmd: 'sleep 0.3' } }),
  'sound.json': sound(),
  'three.json': recipe({ speak: say('hello'), leave: exit(3), never: say('x') }),
  'failing.json': recipe({ leave: exit(3) }),
  'endless.json': recipe(
    { wait: { action: 'command', cmd: 'exec sleep 1002' } },
    { teardown: [{ action: 'command', cmd: 'echo bye > teardown.txt' }] },
  ),
  'invalid.json': { schema_version: 1, title: 'Invalid', validate: {} },
  'vitest.config.ts': "export default { test: { reporters: ['default', ['json', { outputFile: 'report.json' }]] } };\n",
});

const testsOf = ({ tests }: VitestRun, name: string) => tests.filter(({ file }) => file === name);

test('a recipe that fails in a hand-written test lists its nodes in the error, and the frame is that of the test', async () => {
  const { project, ...run } = await runOnce();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 17, failed: 7 });
  const own = testsOf(run, 'native.test.ts');
  expect(own.map(({ status }) => status)).toEqual(['passed', 'failed', 'failed']);
  const [, failed = '', invalid = ''] = own.map(({ messages }) => messages[0] ?? '');
  expect(failed).toContain("The recipe's verdict is fail: leave: Command exited with 3");
  expect(failed).toContain('✓ Perform speak for the test (speak · command)\n✗ Perform leave for the test (leave · command)\n');
  expect(failed).toContain('The evidence package is in ');
  expect(invalid).toContain('recipe.missing_workflow');
  const line = project.lineOf('native.test.ts', "test('fails'");
  expect(run.stderr).toContain(`native.test.ts:${line}:`);
  const frames = run.stderr.split(/^ FAIL {2}/m).filter((text) => text.startsWith('native.test.ts'));
  expect(frames).toHaveLength(2);
  expect(frames.join()).not.toContain('expectPass.');
});

test('a hand-written test fails when it does not await its recipe or ignores a verdict other than pass', async () => {
  const { project, ...run } = await runOnce();
  const own = testsOf(run, 'careless.test.ts');
  const failed = own.filter(({ status }) => status === 'failed');
  expect([own.length, failed.length]).toEqual([11, 5]);
  const message = (title: string) => failed.find((found) => found.title === title)?.messages.join() ?? '';
  expect(message('does not wait')).toContain('The test ended before the recipe did. Write await runRecipe("endless.json", …).');
  const ignored =
    'runRecipe("failing.json") ended with the verdict fail, and the test did not check it: leave: Command exited with 3';
  expect(message('ignores the result')).toContain(ignored);
  expect(message('looks only whether it ran')).toContain(ignored);
  expect(message('ignores that it cannot run')).toContain('recipe.missing_workflow');
  expect(message('catches the error')).toContain('The test caught the error of expectPass');
  const line = project.lineOf('careless.test.ts', 'const run =');
  expect(run.stderr).toContain(`careless.test.ts:${line}:`);
  // The recipe that the test did not await has been ended.
  expect(project.list('.')).toContain('teardown.txt');
});

test('an ignored verdict fails concurrent tests, hooks and code outside tests, and tests that check it pass', async () => {
  const run = await runOnce();
  const ignoredVerdict = 'runRecipe("failing.json") ended with the verdict fail, and the test did not check it';
  const failures = run.stderr.split(/^ FAIL {2}/m).slice(1);
  const about = (file: string) => failures.filter((part) => part.startsWith(file)).join('\n');
  for (const file of ['atOnce', 'hook', 'outside']) expect(about(`${file}.test.ts`), file).toContain(ignoredVerdict);
  expect(about('pending.test.ts')).toContain('The test ended before the recipe did. Write await runRecipe("endless.json", …).');
  expect(about('honest.test.ts')).toBe('');
});
