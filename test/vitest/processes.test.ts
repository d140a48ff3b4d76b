// Documents share processes (decisions/022), and none of them can tell: what one leaves behind, the next does not find.
import { expect, test } from 'vitest';
import { isAlive } from '../support/isAlive.js';
import { packageOf } from '../support/packages.js';
import { exit, type Node, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { type Files, type VitestRun, vitestProject } from '../support/vitestProject.js';

const told = `{
  pid: process.pid,
  poolId: process.env.VITEST_POOL_ID,
  loads: ++loads,
  left: [process.env.LEFT, globalThis.left, process.cwd().endsWith('recipes'), fetch.length].join(),
  listeners: process.listenerCount('uncaughtException'),
}`;

const setup = setupFile(
  {
    'lab.tell': `return { output: ${told} };`,
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.exit': 'process.exit(0);',
    'lab.reject': "void Promise.reject(new Error('nobody caught it')); return { output: {} };",
    'lab.late': "setTimeout(() => { throw new Error('nobody caught it'); }, 40); return { output: {} };",
    'lab.env': "process.env.LEFT = 'here'; return { output: {} };",
    'lab.cwd': "process.chdir('recipes'); return { output: {} };",
    'lab.global': 'globalThis.left = 1; return { output: {} };',
    'lab.fetch': 'globalThis.fetch = () => ({}); return { output: {} };',
    'lab.listener': "process.on('uncaughtException', () => undefined); return { output: {} };",
    'lab.interval': 'setInterval(() => undefined, 100); return { output: {} };',
    'lab.server': "const { createServer } = await import('node:net'); createServer().listen(0); return { output: {} };",
  },
  'let loads = 0;',
);

const tells = (...before: string[]) =>
  recipe({ ...Object.fromEntries(before.map((action) => [action.slice(4), { action } as Node])), tell: { action: 'lab.tell' } });

type Told = { pid: number; poolId: string; loads: number; left: string; listeners: number };

const toldBy = (run: VitestRun, id: string): Told => {
  const { output } = packageOf(run, `recipes/${id}`).trace.find(({ nodeId }) => nodeId === 'tell') ?? {};
  return output as Told;
};

/** One after the other, as they are given: Vitest begins with the longest. */
const inTurn = (files: Files, test: object = {}) => {
  const padded = Object.entries(files).map(([name, file], index) => [
    name,
    typeof file === 'string' ? file : JSON.stringify(file) + ' '.repeat((20 - index) * 1_000),
  ]);
  return vitestProject({ 'recipes.setup.js': setup, ...Object.fromEntries(padded) }, { test: { maxWorkers: 1, ...test } });
};

const writesPid = (name: string) => `
  import { writeFileSync } from 'node:fs';
  import { test } from 'vitest';
  test('it writes its process', () => writeFileSync('${name}.pid', String(process.pid)));
`;

test('recipes share a process, hand-written tests beside them have one each, and none of them outlives the run', async () => {
  const project = inTurn({
    // A command, and one that fails.
    'recipes/a.recipe.json': recipe({ say: say('hello'), tell: { action: 'lab.tell' } }),
    'recipes/b.recipe.json': recipe({ tell: { action: 'lab.tell' }, exit: exit(3) }),
    'recipes/c.recipe.json': tells(),
    'd.test.ts': writesPid('d'),
    'e.test.ts': writesPid('e'),
  });
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 4, failed: 1 });
  const recipes = ['a', 'b', 'c'].map((id) => toldBy(run, id));
  const pids = [...new Set(recipes.map(({ pid }) => pid)), Number(project.read('d.pid')), Number(project.read('e.pid'))];
  expect(new Set(pids).size).toBe(3);
  expect(pids.filter(isAlive)).toEqual([]);
  // The setup module is evaluated anew for each.
  expect(recipes.map(({ loads }) => loads)).toEqual([1, 1, 1]);
});

test('a process ends after fifty recipes', async () => {
  const ids = Array.from({ length: 70 }, (_, index) => `r${index}`);
  const run = await vitestProject(
    { 'recipes.setup.js': setup, ...Object.fromEntries(ids.map((id) => [`recipes/${id}.recipe.json`, tells()])) },
    { test: { maxWorkers: 1 } },
  ).run();
  expect(run).toMatchObject({ exitCode: 0, passed: 70, failed: 0 });
  const pids = ids.map((id) => toldBy(run, id).pid);
  const counts = [...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length);
  expect(counts.sort()).toEqual([20, 50]);
});

test('two that run at a time never have the same pool id', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `r${index}`);
  const files = Object.fromEntries(ids.map((id) => [`recipes/${id}.recipe.json`, tells()]));
  const run = await vitestProject({ 'recipes.setup.js': setup, ...files }).run();
  const pairs = new Set(ids.map((id) => `${toldBy(run, id).pid} ${toldBy(run, id).poolId}`));
  const pids = new Set(ids.map((id) => toldBy(run, id).pid));
  expect(run).toMatchObject({ exitCode: 0, passed: 12 });
  expect([pairs.size, pids.size]).toEqual([2, 2]);
});

test('F27 a recipe that kills its process after others ran there leaves them passed, itself unknown, and the rest runs', async () => {
  const run = await inTurn({
    'recipes/a.recipe.json': tells(),
    'recipes/b.recipe.json': recipe({ kill: { action: 'lab.kill' } }),
    'recipes/c.recipe.json': tells(),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 2, failed: 1 });
  expect(run.suite?.totals).toMatchObject({ declared: 3, passed: 2, unknown: 1 });
  expect(packageOf(run, 'recipes/b').summary).toMatchObject({ status: 'unknown', interruptedAt: ['kill'] });
  expect(toldBy(run, 'a').pid).not.toBe(toldBy(run, 'c').pid);
});

test('F27 process.exit is a fault of the harness in the second recipe of a process, too', async () => {
  const run = await inTurn({
    'recipes/a.recipe.json': tells(),
    'recipes/b.recipe.json': tells('lab.exit'),
    'recipes/c.recipe.json': tells('lab.exit'),
  }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 2 });
  for (const id of ['recipes/b', 'recipes/c'])
    expect(packageOf(run, id).summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
});

test.for(['lab.reject', 'lab.late'])(
  'F55 what nobody caught after %s is told of that recipe, and of no other',
  async (action) => {
    const run = await inTurn({
      'recipes/a.recipe.json': tells(),
      'recipes/b.recipe.json': recipe({ tell: { action: 'lab.tell' }, stray: { action } }),
      'recipes/c.recipe.json': tells(),
    }).run();
    expect(run.exitCode).toBe(1);
    const statuses = run.tests.map(({ file, status }) => `${file} ${status}`).sort();
    expect(statuses).toEqual(['recipes/a.recipe.json passed', 'recipes/b.recipe.json failed', 'recipes/c.recipe.json passed']);
    expect(run.stdout + run.stderr).toContain('nobody caught it');
    expect(packageOf(run, 'recipes/b').summary.status).not.toBe('pass');
    expect(toldBy(run, 'b').pid).toBe(toldBy(run, 'a').pid);
    expect(toldBy(run, 'c').pid).not.toBe(toldBy(run, 'b').pid);
  },
);

test('what a recipe leaves behind, the next one does not find: it has another process', async () => {
  const kinds = ['env', 'cwd', 'global', 'fetch', 'listener', 'interval', 'server'];
  const pairs = kinds.flatMap((kind) => [
    [`recipes/${kind}.recipe.json`, tells(`lab.${kind}`)],
    [`recipes/${kind}-next.recipe.json`, tells()],
  ]);
  const run = await inTurn({ 'recipes/first.recipe.json': tells(), ...Object.fromEntries(pairs) }).run();
  const first = toldBy(run, 'first');
  let before = first;
  for (const kind of kinds) {
    const [leaving, next] = [toldBy(run, kind), toldBy(run, `${kind}-next`)];
    expect(leaving.pid, kind).toBe(before.pid);
    expect(next.pid, kind).not.toBe(leaving.pid);
    expect(next, kind).toEqual({ ...first, pid: next.pid });
    expect([leaving.pid, next.pid].filter(isAlive), kind).toEqual([]);
    before = next;
  }
  expect(run).toMatchObject({ exitCode: 0, passed: 1 + 2 * kinds.length, failed: 0 });
});

test.for([{ pool: 'threads' }, { isolate: false }, { environment: 'node', isolate: true, pool: 'forks' }])(
  'recipes pass with %j',
  async (given) => {
    const run = await inTurn({ 'recipes/a.recipe.json': tells(), 'recipes/b.recipe.json': tells() }, given).run();
    expect(run).toMatchObject({ exitCode: 0, passed: 2, failed: 0 });
    expect(toldBy(run, 'a').pid).toBe(toldBy(run, 'b').pid);
  },
);

test.for(['SIGKILL', undefined] as const)(
  'in watch mode a process that waits for recipes ends by itself (Vitest: %s)',
  async (signal) => {
    const project = inTurn({ 'recipes/a.recipe.json': tells() });
    const { sees, child, ended } = project.start(['--watch']);
    await sees('for file changes...');
    const { pid } = toldBy(project.after({ exitCode: null, signal: null, stdout: '', stderr: '' }), 'a');
    if (signal) child.kill(signal);
    await expect.poll(() => isAlive(pid)).toBe(false);
    child.kill('SIGKILL');
    await ended;
  },
);

test('with a process for each, which the plugin can be told, every recipe has its own', async () => {
  const files = { 'recipes.setup.js': setup, 'recipes/a.recipe.json': tells(), 'recipes/b.recipe.json': tells() };
  const run = await vitestProject(files, { test: { maxWorkers: 1 }, recipes: { ownProcess: true } }).run();
  expect(run).toMatchObject({ exitCode: 0, passed: 2 });
  expect(toldBy(run, 'a').pid).not.toBe(toldBy(run, 'b').pid);
});
