// Measures times that users notice: node bench/limits/run.mjs [--json] [--check]
// Measures how soon a stopped run ends, how soon hanging work is stopped, and how long the largest documents, strings and pages
// take. Run it on a quiet machine, because it measures wall time. No test does that. With --check, the exit code is 1 only when a
// time exceeds its goal by more than half.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = path.join(root, 'dist/cli.js');
const isCheck = process.argv.includes('--check');
const jiti = createJiti(import.meta.url);
const importSource = (file) => jiti.import(path.join(root, 'src', file));
const folder = mkdtempSync(path.join(tmpdir(), 'limits-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const server = createServer((request, response) => {
  const hangs = request.url === '/hangs' ? '<script>onload = () => setTimeout(() => { for (;;) {} }, 100)</script>' : '';
  response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>here</p>${hangs}`);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${server.address().port}`;

const rows = [
  ...(await measureStops()),
  ...(await measureNodes()),
  ...(await measurePatterns()),
  ...(await measureDocuments()),
  ...(await measureReviewPage()),
];
server.close();
console.log(process.argv.includes('--json') ? JSON.stringify(rows, null, 2) : rows.map(formatRow).join('\n'));
process.exitCode = rows.some(({ ms, goal }) => ms > goal * (isCheck ? 1.5 : 1)) ? 1 : 0;

function formatRow({ what, ms, goal }) {
  const time = `${ms.toLocaleString('en', { maximumFractionDigits: 1 })} ms`;
  return `${what.padEnd(62)} ${time.padStart(12)}  ${ms <= goal ? 'PASS' : 'FAIL'}, the goal is ${goal.toLocaleString('en')} ms`;
}

function createRecipe(nodes, rest = {}) {
  const withIntents = Object.entries(nodes).map(([id, node]) => [id, { intent: `Run the node ${id}`, next: 'done', ...node }]);
  const allNodes = { ...Object.fromEntries(withIntents), done: { action: 'end', status: 'pass' } };
  return { schema_version: 1, validate: { workflow: { entry: Object.keys(nodes)[0], nodes: allNodes, ...rest } } };
}

/** Starts a run of the command line in a temporary folder. */
function start(recipe, more = []) {
  const dir = mkdtempSync(path.join(folder, 'run-'));
  writeFileSync(path.join(dir, 'a.recipe.json'), JSON.stringify(recipe));
  symlinkSync(path.join(root, 'node_modules'), path.join(dir, 'node_modules'));
  const args = [cli, 'run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out', ...more];
  const child = spawn(process.execPath, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  let onStderr = () => undefined;
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    onStderr();
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const waitForOutput = (text) =>
    new Promise((resolve, reject) => {
      onStderr = () => stderr.includes(text) && resolve();
      onStderr();
      void ended.then(() => reject(new Error(`The run ended before it printed ${JSON.stringify(text)}:\n${stderr}`)));
    });
  return { dir, child, ended, waitForOutput, readStderr: () => stderr };
}

async function measureStops() {
  const teardown = { teardown: [{ action: 'command', intent: 'Clean up', cmd: 'echo cleaned' }] };
  const ignoresSignals = `trap '' TERM INT HUP; sleep 60 & wait; sleep 60`;
  const hangingTeardown = { teardown: [{ action: 'command', intent: 'Hang in the teardown', cmd: ignoresSignals }] };
  const pageWait = {
    open: { action: 'ui.navigate', url: '/', next: 'see' },
    see: { action: 'ui.wait_for', text: 'no', timeout_ms: 60_000 },
  };
  const measureStop = async (recipe, firstOutput, { more, secondOutput } = {}) => {
    const { child, ended, waitForOutput } = start(recipe, more);
    await waitForOutput(firstOutput);
    if (secondOutput) {
      child.kill('SIGINT');
      await waitForOutput(secondOutput);
    }
    const stoppedAt = performance.now();
    child.kill('SIGINT');
    await ended;
    return performance.now() - stoppedAt;
  };
  const sleeping = { nap: { action: 'command', cmd: 'sleep 60' } };
  const unstoppable = { nap: { action: 'command', cmd: ignoresSignals } };
  return [
    {
      what: 'a stopped run has written its package',
      ms: await measureStop(createRecipe(sleeping, teardown), 'RUN 1/'),
      goal: 3_000,
    },
    {
      what: 'the same with processes that ignore signals',
      ms: await measureStop(createRecipe(unstoppable, hangingTeardown), 'RUN 1/'),
      goal: 3_000,
    },
    {
      what: 'the same with a browser',
      ms: await measureStop(createRecipe(pageWait), 'RUN 2/', { more: ['--base-url', baseUrl] }),
      goal: 3_000,
    },
    {
      what: 'a run that is stopped twice has ended',
      ms: await measureStop(createRecipe(unstoppable, hangingTeardown), 'RUN 1/', { secondOutput: 'RUN 2/' }),
      goal: 1_000,
    },
  ];
}

async function measureNodes() {
  const measureNode = async (recipe, id, more) => {
    const { dir, ended, readStderr } = start(recipe, more);
    await ended;
    if (!existsSync(path.join(dir, 'out/journal.jsonl'))) throw new Error(`The run did not begin:\n${readStderr()}`);
    const lines = readFileSync(path.join(dir, 'out/journal.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line)).find(({ t, path: at }) => t === 'end' && at === id).ms;
  };
  const unstoppable = { a: { action: 'command', cmd: `trap '' TERM; while :; do sleep 1; done`, timeout_ms: 300 } };
  const leavesChild = { a: { action: 'command', cmd: 'sleep 60 & echo done' } };
  const hanging = {
    open: { action: 'ui.navigate', url: '/hangs', next: 'pause' },
    pause: { action: 'wait', duration_ms: 300, next: 'a' },
    a: { action: 'ui.wait_for', text: 'missing', timeout_ms: 600 },
  };
  const loop = {
    action: 'switch',
    next: undefined,
    cases: [{ when: { source: 'inputs', path: '$.x', operator: 'exists' }, next: 'a' }],
    default: 'done',
  };
  const endless = { ...createRecipe({ a: loop }), inputs: { x: 1 } };
  return [
    {
      what: 'a command that ignores SIGTERM is killed after its timeout',
      ms: (await measureNode(createRecipe(unstoppable), 'a')) - 300,
      goal: 6_500,
    },
    {
      what: 'a command ends although its child keeps the pipes open',
      ms: await measureNode(createRecipe(leavesChild), 'a'),
      goal: 1_300,
    },
    {
      what: 'a node on a hanging page ends after its timeout',
      ms: (await measureNode(createRecipe(hanging), 'a', ['--base-url', baseUrl])) - 600,
      goal: 1_000,
    },
    { what: 'an endless loop is stopped after a hundred visits', ms: await measureNode(endless, ''), goal: 1_000 },
  ];
}

async function measurePatterns() {
  const [{ evaluateWithPatternThread }, { evaluateAssertion }] = [
    await importSource('actions/evaluateWithPatternThread.ts'),
    await importSource('engine/evaluateAssertion.ts'),
  ];
  const createMatch = (value, subject) => () =>
    evaluateAssertion(
      { operator: 'matches', value },
      { find: () => ({ found: true, value: subject }), param: () => ({ found: false }) },
    );
  await evaluateWithPatternThread(createMatch('(a|b)+c', 'ab'.repeat(100_000)));
  const evilPatterns = [
    '(a+)+$',
    '([a-zA-Z]+)*$',
    '(a|a?)+$',
    '(.*a){20}$',
    '^(a|a)*$',
    '(\\w+\\s?)*$',
    '(a{1,10}){1,10}!',
    '(a?){30}a{30}c',
  ];
  let state = 1;
  const randomLetter = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return 'ab'[(state >> 16) & 1];
  };
  const randomText = Array.from({ length: 300_000 }, randomLetter).join('');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const measureSlowest = async (patterns, subject) => {
    const times = [];
    for (const pattern of patterns) {
      const startedAt = performance.now();
      await evaluateWithPatternThread(createMatch(pattern, subject));
      times.push(performance.now() - startedAt);
    }
    return Math.max(...times);
  };
  delay.enable();
  const evilMs = await measureSlowest(evilPatterns, `${'a'.repeat(1_000_000)}!`);
  const tooLongMs = await measureSlowest(['a.{1000}[xy]', '(a|b)*a(a|b){200}[cd]$', '(.{1,30}a.{1,30}b){1,30}[xy]'], randomText);
  delay.disable();
  return [
    { what: 'the slowest evil pattern on a million characters', ms: evilMs, goal: 400 },
    { what: 'the match of a pattern that takes too long is stopped', ms: tooLongMs, goal: 400 },
    { what: 'the delay of the event loop during these matches', ms: delay.max / 1e6, goal: 50 },
  ];
}

async function measureDocuments() {
  const [{ readDocumentFile }, { openVault }, { shellReferences }] = [
    await importSource('check/readDocumentFile.ts'),
    await importSource('secrets/vault.ts'),
    await importSource('shell/bindShell.ts'),
  ];
  const [deep, large] = ['deep.json', 'large.json'].map((name) => path.join(folder, name));
  writeFileSync(deep, `${'{"a":['.repeat(500_000)}1${']}'.repeat(500_000)}`);
  writeFileSync(large, '');
  truncateSync(large, 1_000_000_000);
  const vault = openVault(new Map([1, 2, 3, 4, 5].map((index) => [`s${index}`, `hunter-${index}-Zebra-Quartz`])));
  const text = '{"seq":17,"path":"open/page","output":"The order was found.\\nIt has \\"3\\" lines"}\n'.repeat(12_500);
  const cmd = `echo ${'{{x}} '.repeat(10_000)}`;
  const readMs = measureBest(() => readFileSync(deep, 'utf8'));
  return [
    {
      what: 'a document of a million levels is refused, minus reading it',
      ms: measureBest(() => readDocumentFile(deep, { bytes: 10_000_000 })) - readMs,
      goal: 50,
    },
    { what: 'a document of a gigabyte is refused', ms: measureBest(() => readDocumentFile(large)), goal: 50 },
    { what: 'five secrets are masked in a megabyte', ms: measureBest(() => vault.mask(text)), goal: 30 },
    { what: '10,000 references in a command are found', ms: measureBest(() => shellReferences(cmd)), goal: 100 },
  ];
}

/** Returns the best of four times, because the first run also compiles the code. */
function measureBest(work) {
  const times = [1, 2, 3, 4].map(() => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

/** Opens the review page of a package with 2,000 entries in a browser. */
async function measureReviewPage() {
  const ids = Array.from({ length: 2_000 }, (_, index) => `n${index}`);
  const chain = ids.map((id, index) => [id, { action: 'wait', duration_ms: 0, next: ids[index + 1] ?? 'done' }]);
  const { dir, ended } = start(createRecipe(Object.fromEntries(chain)));
  await ended;
  const [{ findChromium, launchOptionsFor }, { chromium }] = [
    await importSource('system/browsers.ts'),
    await import('@playwright/test'),
  ];
  const browser = await chromium.launch(launchOptionsFor(findChromium()).launchOptions ?? {});
  const measure = `(async () => {
    const [loading] = performance.getEntriesByType('navigation');
    const [search, results] = ['search', 'found'].map((id) => document.getElementById(id));
    const startedAt = performance.now();
    const updated = new Promise((resolve) => new MutationObserver(resolve).observe(results, { childList: true }));
    search.value = 'n1999';
    search.dispatchEvent(new Event('input'));
    await updated;
    return [loading.domInteractive, performance.now() - startedAt];
  })()`;
  const times = [];
  for (const _ of [1, 2, 3]) {
    const page = await browser.newPage();
    await page.goto(`file://${path.join(dir, 'out/review.html')}`);
    times.push(await page.evaluate(measure));
    await page.close();
  }
  await browser.close();
  return [
    { what: 'the review page of 2,000 entries is interactive', ms: Math.min(...times.map(([readyMs]) => readyMs)), goal: 1_500 },
    {
      what: 'a search in the review page shows its results',
      ms: Math.min(...times.map(([, searchMs]) => searchMs)),
      goal: 1_500,
    },
  ];
}
