// Vitest runs recipes in its own processes and threads: by default one for each file, or shared ones if the config says so.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole } from '../support/evidence.js';
import { isAlive } from '../support/isAlive.js';
import { filesBelow, packageOf } from '../support/packages.js';
import { exit, type Node, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { type Files, sharedRun, statusOf, type VitestRun, vitestProject } from '../support/vitestProject.js';

const setup = setupFile(
  {
    'lab.tell': 'return { output: { pid: process.pid, thread: threadId, loads: ++loads } };',
    'lab.kill': "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);",
    'lab.exit': 'process.exit(0);',
    'lab.reject': "void Promise.reject(new Error('uncaught: lab.reject')); return { output: {} };",
    'lab.late': "setTimeout(() => { throw new Error('uncaught: lab.late'); }, 40); return { output: {} };",
    'lab.interval': 'setInterval(() => undefined, 100); return { output: {} };',
    'lab.wait':
      "console.log('lab.wait waits'); await new Promise((done) => context.signal.addEventListener('abort', done)); return { output: {} };",
  },
  "import { threadId } from 'node:worker_threads';\nlet loads = 0;",
);

const tells = (...before: string[]) =>
  recipe({ ...Object.fromEntries(before.map((action) => [action.slice(4), { action } as Node])), tell: { action: 'lab.tell' } });

type RecipeProcess = { pid: number; thread: number; loads: number };

const processOf = (run: VitestRun, id: string): RecipeProcess => {
  const { output } = packageOf(run, `recipes/${id}`).trace.find(({ nodeId }) => nodeId === 'tell') ?? {};
  return output as RecipeProcess;
};

/** Makes the files run in this order, because Vitest begins with the longest one. */
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
/** Long enough for the timer of lab.late, which the end of the process after its last test would remove. */
const wait: Node = { action: 'wait', duration_ms: 200 };

/** Recipes that fail, end their process or throw later errors, each between two recipes that pass. */
const failing = sharedRun(
  inTurn({
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
        [`recipes/${action}.recipe.json`, recipe({ stray: { action }, wait, tell: { action: 'lab.tell' } })],
        [`recipes/${action}-next.recipe.json`, tells()],
      ]),
    ),
    'd.test.ts': writesPid('d'),
    'e.test.ts': writesPid('e'),
  }),
);

const statuses = (run: VitestRun, ...ids: string[]) => ids.map((id) => statusOf(run, `recipes/${id}.recipe.json`));

test('every recipe and every hand-written test file has its own process, and no process outlives the run', async () => {
  const run = await failing();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 9, failed: 6 });
  const ids = ['say', 'three', 'tell'];
  expect(statuses(run, ...ids)).toEqual(['passed', 'failed', 'passed']);
  const recipes = ids.map((id) => processOf(run, id));
  const native = ['d', 'e'].map((name) => Number(run.project.read(`${name}.pid`)));
  const pids = [...recipes.map(({ pid }) => pid), ...native];
  expect(new Set(pids).size).toBe(5);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(recipes.map(({ loads }) => loads)).toEqual([1, 1, 1]);
});

test('F27 a recipe that kills its process is unknown, and the other recipes run', async () => {
  const run = await failing();
  expect(statuses(run, 'tell', 'kill', 'kill-next')).toEqual(['passed', 'failed', 'passed']);
  expect(run.suite?.totals).toMatchObject({ declared: 13, passed: 7, failed: 1, unknown: 5 });
  expect(packageOf(run, 'recipes/kill').summary).toMatchObject({ status: 'unknown', interruptedAt: ['kill'] });
});

test('F27 process.exit is a harness failure of each of two recipes that call it', async () => {
  const run = await failing();
  expect(statuses(run, 'kill-next', 'exit', 'exit-again')).toEqual(['passed', 'failed', 'failed']);
  for (const id of ['recipes/exit', 'recipes/exit-again'])
    expect(packageOf(run, id).summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
});

test.for(strays)('F55 an uncaught error of %s fails its own recipe, and no other recipe', async (action) => {
  const run = await failing();
  expect(statuses(run, `${action}-before`, action, `${action}-next`)).toEqual(['passed', 'failed', 'passed']);
  expect(run.stdout + run.stderr).toContain(`uncaught: ${action}`);
  const { status, reason } = packageOf(run, `recipes/${action}`).summary;
  expect(status).not.toBe('pass');
  expect(reason).toContain(`uncaught: ${action}`);
});

test('with isolate: false in the project of the recipes, recipes share a process and each hand-written file has its own', async () => {
  const config = `
    import { recipes } from 'recipewright/vitest';
    const plugin = recipes({ recipes: 'recipes/*.recipe.json', setup: './recipes.setup.js' });
    const shared = { plugins: [plugin], test: { name: 'recipes', include: [], isolate: false } };
    export default {
      test: {
        maxWorkers: 1,
        reporters: ['default', ['json', { outputFile: 'report.json' }]],
        projects: [{ test: { name: 'unit', include: ['*.test.ts'] } }, shared],
      },
    };
  `;
  const files = {
    'recipes/a.recipe.json': tells(),
    'recipes/b.recipe.json': tells(),
    'd.test.ts': writesPid('d'),
    'e.test.ts': writesPid('e'),
  };
  const project = vitestProject({ ...inTurn(files), 'vitest.config.ts': config });
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 0, passed: 4, failed: 0 });
  const recipes = ['a--recipes', 'b--recipes'].map((id) => processOf(run, id).pid);
  const native = ['d', 'e'].map((name) => Number(project.read(`${name}.pid`)));
  expect(new Set(recipes).size).toBe(1);
  expect(new Set([...recipes, ...native]).size).toBe(3);
});

/** `shares`: whether recipes that run one after the other run in the same process and thread, with the same modules. */
const sharing = [
  { test: { isolate: false }, shares: true },
  { test: { pool: 'threads' }, shares: false },
  { test: { pool: 'threads', isolate: false }, shares: true },
];

test.for(sharing)(
  'with $test, process.exit and uncaught errors fail only their own recipe, and a timer of one recipe disturbs no other',
  async ({ test, shares }) => {
    const ids = ['first', 'exit', 'exit-next', 'reject', 'reject-next', 'interval', 'last'];
    const actionsBefore = ids.map((id) => (['exit', 'reject', 'interval'].includes(id) ? [`lab.${id}`] : []));
    const files = ids.map((id, index) => [`recipes/${id}.recipe.json`, tells(...(actionsBefore[index] ?? []))]);
    const run = await vitestProject(inTurn(Object.fromEntries(files)), { test }).run();
    expect(run).toMatchObject({ exitCode: 1, success: false, passed: 5, failed: 2 });
    expect(statuses(run, ...ids)).toEqual(['passed', 'failed', 'passed', 'failed', 'passed', 'passed', 'passed']);
    expect(run.suite?.totals).toMatchObject({ declared: 7, passed: 5, unknown: 2 });
    for (const id of ['exit', 'reject'])
      expect(packageOf(run, `recipes/${id}`).summary).toMatchObject({ status: 'unknown', cause_class: 'harness' });
    for (const id of ['first', 'last']) expectWhole(packageOf(run, `recipes/${id}`));
    const [first, last] = [processOf(run, 'first'), processOf(run, 'last')];
    // All threads belong to one process. A recipe that calls process.exit never reaches the node that counts.
    expect(last).toEqual(shares ? { ...first, loads: 6 } : { pid: first.pid, thread: expect.any(Number), loads: 1 });
    expect(last.thread === first.thread).toBe(shares);
    expect(isAlive(last.pid)).toBe(false);
  },
);

test.for(sharing.filter(({ shares }) => shares))(
  'with $test, an error that a timer throws after its recipe fails the recipe that runs then',
  async ({ test }) => {
    const files = {
      'recipes/a.recipe.json': tells('lab.late'),
      'recipes/b.recipe.json': recipe({ wait, tell: { action: 'lab.tell' } }),
    };
    const run = await vitestProject(inTurn(files), { test }).run();
    expect(run).toMatchObject({ exitCode: 1, success: false, passed: 1, failed: 1 });
    expect(run.stdout + run.stderr).toContain('uncaught: lab.late');
    expect(run.suite?.totals).toMatchObject({ declared: 2, passed: 1, unknown: 1 });
  },
);

test('with isolate: false, a recipe that kills its process is unknown, and so are the later recipes of that process', async () => {
  const files = ['a', 'b', 'c'].map((id) => [`recipes/${id}.recipe.json`, tells(...(id === 'b' ? ['lab.kill'] : []))]);
  const run = await vitestProject(inTurn(Object.fromEntries(files)), { test: { isolate: false } }).run();
  expect(run).toMatchObject({ exitCode: 1, success: false, passed: 1 });
  expect(run.suite?.totals).toMatchObject({ declared: 3, passed: 1, unknown: 2 });
  expect(packageOf(run, 'recipes/b').summary).toMatchObject({ status: 'unknown', interruptedAt: ['kill'] });
  expect(run.packages.has('recipes/c')).toBe(false);
});

test.for(sharing)('with $test, SIGINT ends the run with 130, the teardown of the recipe and its package', async ({ test }) => {
  const command = (cmd: string) => ({ action: 'command', cmd });
  const project = vitestProject(
    inTurn({
      'recipes/before.recipe.json': tells(),
      'recipes/wait.recipe.json': recipe(
        { server: command('sleep 1001 & echo $! > server.pid'), wait: { action: 'lab.wait' }, after: say('never') },
        { teardown: [command('echo bye > teardown.txt')] },
      ),
    }),
    { test: { ...test, disableConsoleIntercept: true } },
  );
  const { child, ended, sees } = project.start(['run']);
  await sees('lab.wait waits');
  const server = Number(project.read('server.pid'));
  onTestFinished(() => void (isAlive(server) && process.kill(server, 'SIGKILL')));
  // As a terminal does, to the whole process group.
  process.kill(-(child.pid as number), 'SIGINT');
  const run = project.after(await ended);
  expect({ exitCode: run.exitCode, signal: run.signal }).toEqual({ exitCode: 130, signal: null });
  expect(project.list('.')).toContain('teardown.txt');
  expect(isAlive(server)).toBe(false);
  expect(run.suite?.totals).toMatchObject({ declared: 2, passed: 1, unknown: 1 });
  const found = packageOf(run, 'recipes/wait');
  expectWhole(found);
  expect(found.summary.status).toBe('unknown');
  expect(found.trace.at(-1)).toMatchObject({ nodeId: 'teardown:0', ok: true });
});

test.for(sharing)('with $test, no file and no output of the run contains the secret of a recipe', async ({ test }) => {
  const secrets = { one: 'Zebra-Quartz-7781', two: 'Maple-Fjord-5512' };
  const [one, two] = Object.entries(secrets).map(([name, secret]) =>
    recipe(
      {
        print: { action: 'command', cmd: 'echo "$TOKEN"', env: { TOKEN: '{{token}}' } },
        // The other recipe of the process has its own secret.
        refuse: { action: 'command', cmd: 'echo "$TOKEN" >&2; exit 3', env: { TOKEN: '{{token}}' } },
      },
      { title: secret === secrets.one ? 'One' : 'Two', inputs: { token: { type: 'secret-ref', ref: `env:TOKEN_${name}` } } },
    ),
  );
  const project = vitestProject(inTurn({ 'recipes/one.recipe.json': one, 'recipes/two.recipe.json': two }), { test });
  const run = await project.run([], { env: { TOKEN_one: secrets.one, TOKEN_two: secrets.two } });
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 2 });
  const results = join(project.dir, 'recipe-results');
  const texts = filesBelow(results).map((name) => readFileSync(join(results, name), 'latin1'));
  const all = [...texts, run.stdout, run.stderr, run.junit, project.read('report.json')].join('\n');
  for (const secret of Object.values(secrets)) expect(all).not.toContain(secret);
  for (const id of ['one', 'two']) expect(packageOf(run, `recipes/${id}`).summary.status).toBe('fail');
});
