// Documents share processes (decisions/022), and none of them can tell: what one leaves behind, the next does not find.
import { expect, test } from 'vitest';
import { isAlive } from '../support/isAlive.js';
import { packageOf } from '../support/packages.js';
import { exit, type Node, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { type Files, sharedRun, statusOf, type VitestRun, vitestProject } from '../support/vitestProject.js';

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
    'lab.reject': "void Promise.reject(new Error('nobody caught lab.reject')); return { output: {} };",
    'lab.late': "setTimeout(() => { throw new Error('nobody caught lab.late'); }, 40); return { output: {} };",
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
const inTurn = (files: Files): Files => {
  const count = Object.keys(files).length;
  const padded = Object.entries(files).map(([name, file], index) => [
    name,
    typeof file === 'string' ? file : JSON.stringify(file) + ' '.repeat((count - index) * 1_000),
  ]);
  return { 'recipes.setup.js': setup, ...Object.fromEntries(padded) };
};

const writesPid = (name: string) => `
  import { writeFileSync } from 'node:fs';
  import { test } from 'vitest';
  test('it writes its process', () => writeFileSync('${name}.pid', String(process.pid)));
`;

const strays = ['lab.reject', 'lab.late'];

/** Recipes that fail, die or leave errors behind, in turn; each between two that pass. */
const failing = sharedRun(
  inTurn({
    // A command, and one that fails.
    'recipes/say.recipe.json': recipe({ say: say('hello'), tell: { action: 'lab.tell' } }),
    'recipes/three.recipe.json': recipe({ tell: { action: 'lab.tell' }, exit: exit(3) }),
    'recipes/tell.recipe.json': tells(),
    'recipes/kill.recipe.json': recipe({ kill: { action: 'lab.kill' } }),
    'recipes/kill-next.recipe.json': tells(),
    'recipes/exit.recipe.json': tells('lab.exit'),
    'recipes/exit-again.recipe.json': tells('lab.exit'),
    ...Object.fromEntries(
      strays.flatMap((action) => [
        [`recipes/${action}-before.recipe.json`, tells()],
        [`recipes/${action}.recipe.json`, recipe({ tell: { action: 'lab.tell' }, stray: { action } })],
        [`recipes/${action}-next.recipe.json`, tells()],
      ]),
    ),
    'd.test.ts': writesPid('d'),
    'e.test.ts': writesPid('e'),
  }),
);

const statuses = (run: VitestRun, ...ids: string[]) => ids.map((id) => statusOf(run, `recipes/${id}.recipe.json`));

test('recipes share a process, hand-written tests beside them have one each, and none of them outlives the run', async () => {
  const run = await failing();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 9, failed: 6 });
  const ids = ['say', 'three', 'tell'];
  expect(statuses(run, ...ids)).toEqual(['passed', 'failed', 'passed']);
  const recipes = ids.map((id) => toldBy(run, id));
  const native = ['d', 'e'].map((name) => Number(run.project.read(`${name}.pid`)));
  const pids = [...new Set(recipes.map(({ pid }) => pid)), ...native];
  expect(new Set(pids).size).toBe(3);
  expect(pids.filter(isAlive)).toEqual([]);
  // The setup module is evaluated anew for each.
  expect(recipes.map(({ loads }) => loads)).toEqual([1, 1, 1]);
});

test('F27 a recipe that kills its process after others ran there leaves them passed, itself unknown, and the rest runs', async () => {
  const run = await failing();
  expect(statuses(run, 'tell', 'kill', 'kill-next')).toEqual(['passed', 'failed', 'passed']);
  expect(run.suite?.totals).toMatchObject({ declared: 13, passed: 7, failed: 1, unknown: 5 });
  expect(packageOf(run, 'recipes/kill').summary).toMatchObject({ status: 'unknown', interruptedAt: ['kill'] });
  expect(toldBy(run, 'tell').pid).not.toBe(toldBy(run, 'kill-next').pid);
});

test('F27 process.exit is a fault of the harness in the second recipe of a process, too', async () => {
  const run = await failing();
  expect(statuses(run, 'kill-next', 'exit', 'exit-again')).toEqual(['passed', 'failed', 'failed']);
  for (const id of ['recipes/exit', 'recipes/exit-again'])
    expect(packageOf(run, id).summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
});

test.for(strays)('F55 what nobody caught after %s is told of that recipe, and of no other', async (action) => {
  const run = await failing();
  expect(statuses(run, `${action}-before`, action, `${action}-next`)).toEqual(['passed', 'failed', 'passed']);
  expect(run.stdout + run.stderr).toContain(`nobody caught ${action}`);
  expect(packageOf(run, `recipes/${action}`).summary.status).not.toBe('pass');
  expect(toldBy(run, action).pid).toBe(toldBy(run, `${action}-before`).pid);
  expect(toldBy(run, `${action}-next`).pid).not.toBe(toldBy(run, action).pid);
});

const many = Array.from({ length: 55 }, (_, index) => `r${index}`);
const kinds = ['env', 'cwd', 'global', 'fetch', 'listener', 'interval', 'server'];

/** Recipes that all pass, in turn. */
const passing = sharedRun(
  inTurn({
    ...Object.fromEntries(many.map((id) => [`recipes/${id}.recipe.json`, tells()])),
    'recipes/first.recipe.json': tells(),
    ...Object.fromEntries(
      kinds.flatMap((kind) => [
        [`recipes/${kind}.recipe.json`, tells(`lab.${kind}`)],
        [`recipes/${kind}-next.recipe.json`, tells()],
      ]),
    ),
  }),
);
const allPass = { exitCode: 0, success: true, passed: many.length + 1 + 2 * kinds.length, failed: 0 };

test('a process ends after fifty recipes', async () => {
  const run = await passing();
  expect(run).toMatchObject(allPass);
  const pids = many.map((id) => toldBy(run, id).pid);
  const counts = [...new Set(pids)].map((pid) => pids.filter((one) => one === pid).length);
  expect(counts.sort((one, two) => one - two)).toEqual([5, 50]);
});

test('what a recipe leaves behind, the next one does not find: it has another process', async () => {
  const run = await passing();
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
  expect(run).toMatchObject(allPass);
});

test('two that run at a time never have the same pool id', async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `r${index}`);
  const files = Object.fromEntries(ids.map((id) => [`recipes/${id}.recipe.json`, tells()]));
  const run = await vitestProject({ 'recipes.setup.js': setup, ...files }, { test: { maxWorkers: 2 } }).run();
  const pairs = new Set(ids.map((id) => `${toldBy(run, id).pid} ${toldBy(run, id).poolId}`));
  const pids = new Set(ids.map((id) => toldBy(run, id).pid));
  expect(run).toMatchObject({ exitCode: 0, passed: 12 });
  expect([pairs.size, pids.size]).toEqual([2, 2]);
});

test.for([{ pool: 'threads' }, { isolate: false }, { environment: 'node', isolate: true, pool: 'forks' }])(
  'recipes pass with %j',
  async (given) => {
    const files = inTurn({ 'recipes/a.recipe.json': tells(), 'recipes/b.recipe.json': tells() });
    const run = await vitestProject(files, { test: given }).run();
    expect(run).toMatchObject({ exitCode: 0, passed: 2, failed: 0 });
    expect(toldBy(run, 'a').pid).toBe(toldBy(run, 'b').pid);
  },
);

test('in watch mode a process that waits for recipes ends by itself, and when Vitest is killed', async () => {
  const project = vitestProject(inTurn({ 'recipes/a.recipe.json': tells() }));
  const { sees, position, child, ended } = project.start(['--watch']);
  const told = () => toldBy(project.after({ exitCode: null, signal: null, stdout: '', stderr: '' }), 'a');
  await sees('for file changes...');
  const first = told();
  await expect.poll(() => isAlive(first.pid)).toBe(false);
  const from = position();
  project.write({ 'recipes/a.recipe.json': tells() });
  await sees('for file changes...', from);
  const second = told();
  expect(second.pid).not.toBe(first.pid);
  child.kill('SIGKILL');
  await expect.poll(() => isAlive(second.pid)).toBe(false);
  await ended;
});

test('with a process for each, which the plugin can be told, every recipe has its own', async () => {
  const files = { 'recipes.setup.js': setup, 'recipes/a.recipe.json': tells(), 'recipes/b.recipe.json': tells() };
  const run = await vitestProject(files, { recipes: { ownProcess: true } }).run();
  expect(run).toMatchObject({ exitCode: 0, passed: 2 });
  expect(toldBy(run, 'a').pid).not.toBe(toldBy(run, 'b').pid);
});
