// A failure of a browser, a renderer or a page is reported as such, and fails no other recipe (rows F46 to F49 in this host).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { eventMs, runMs } from '../support/patience.js';
import type { Run } from '../support/project.js';
import { type Node, type Nodes, recipe } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { setupFile } from '../support/setupFile.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

const pages = await servePages();
const silent = createServer(() => undefined);
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
silent.unref();

const setup = setupFile({
  // `in_ms` later, while another node runs, or now: then the node ends when the processes are gone.
  'lab.kill': `
    const { page } = context.fixtures;
    const session = fields.what === 'browser' ? await page.context().browser().newBrowserCDPSession() : await page.context().newCDPSession(page);
    const gone = new Promise((resolve) => (fields.what === 'browser' ? page.context().browser().on('disconnected', resolve) : page.on('crash', resolve)));
    const kill = async () => {
      if (fields.what === 'page') return void session.send('Page.crash').catch(() => undefined);
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      process.kill(processInfo.find(({ type }) => type === 'browser').id, 'SIGKILL');
    };
    setTimeout(kill, fields.in_ms);
    if (fields.in_ms === 0) await gone;
    return { output: {} };
  `,
}).replace("effect: 'reads'", "effect: 'user', needs: ['page']");

const open = { action: 'ui.navigate', url: pages.url('<h1>Total 21</h1><button disabled>Buy</button>') };
const good = { action: 'ui.screenshot', path: 'screenshots/good.png', proofTarget: 'AC1' };
const see = { action: 'ui.wait_for', text: 'Total 21', proofTarget: 'AC1' };
const slow = { action: 'ui.navigate', url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` };
type Dying = 'browser' | 'page';
// test/browser has the other moments, and other nodes on a page that never answers.
const where: Record<Dying, Record<string, Node>> = {
  browser: { 'while a page is opened': slow, 'before a node begins': { action: 'ui.screenshot' } },
  page: { 'while a text is waited for': { action: 'ui.wait_for', text: 'never' } },
};
const next = recipe({ open, see, good }, { title: 'The next one', targets: ['AC1'] });
const nameOf = (what: Dying, point: string): string => `recipes/${what}-${Object.keys(where[what]).indexOf(point)}`;

/** For each moment, a recipe whose browser dies then, and a later recipe that uses a browser too. */
function dyingAt(what: Dying): Record<string, unknown> {
  const files = Object.entries(where[what]).flatMap(([point, node]) => {
    const kill = { action: 'lab.kill', what, in_ms: point.startsWith('before') ? 0 : 400 };
    const title = `${what} ${point}`;
    const dying = recipe({ open, good, kill, last: { ...node, timeout_ms: eventMs } }, { title, targets: ['AC1'] });
    return [
      [`${nameOf(what, point)}-dying.recipe.json`, dying],
      [`${nameOf(what, point)}-next.recipe.json`, next],
    ];
  });
  return Object.fromEntries(files);
}

// A synchronous request without an answer stops the whole page, started by a timer of the page.
const hangs = `<button data-testid=a>x</button><script>
  onload = () => setTimeout(() => { const request = new XMLHttpRequest(); request.open('GET', '${slow.url}', false); request.send(); }, 100);
</script>`;
const pause = { action: 'wait', duration_ms: 400 };
const acts: Nodes = {
  press: { action: 'ui.press', test_id: 'a' },
};
const hanging = Object.entries(acts).map(([id, node]) => {
  const nodes = { open: { action: 'ui.navigate', url: pages.url(hangs) }, pause, node: { ...node, timeout_ms: 1_500 } };
  return [`recipes/silent-${id}.recipe.json`, recipe(nodes, { title: id })] as const;
});

const press = { action: 'ui.press', test_id: 'ask', timeout_ms: eventMs };
const asking = (code: string): Node => ({
  action: 'ui.navigate',
  url: pages.url(`<button data-testid=ask onclick='${code}'>Ask</button>`),
  timeout_ms: eventMs,
});
const leaving =
  '<script>onbeforeunload = (event) => { event.preventDefault(); return "stay?" }</script><button data-testid=ask>x</button>';
const framed = `<iframe srcdoc='<button data-testid=ask onclick="confirm(\`framed\`)">Ask</button>'></iframe>`;
const dialogs: Nodes = {
  'open-alert': asking('alert("hello")'),
  alert: press,
  'open-confirm': asking('confirm("hello")'),
  confirm: { ...press, dialog: 'accept' },
  'open-prompt': asking('document.title = prompt("hello")'),
  prompt: { ...press, dialog: { accept: true, text: 'Ada' } },
  'see-answer': { action: 'app.status', assert: { path: '$.title', operator: 'eq', value: 'Ada' } },
  'open-frame': { action: 'ui.navigate', url: pages.url(framed) },
  frame: { action: 'ui.press', selector: 'iframe >> internal:control=enter-frame >> button', timeout_ms: eventMs },
  'open-leaving': { action: 'ui.navigate', url: pages.url(leaving) },
  touch: press,
  beforeunload: asking('1'),
};

const runAll = shareRun(
  {
    'recipes.setup.ts': setup,
    ...dyingAt('browser'),
    ...dyingAt('page'),
    'recipes/dialogs.recipe.json': recipe(dialogs, { title: 'Dialogs' }),
    ...Object.fromEntries(hanging),
    'recipes/z.recipe.json': next,
  },
  { config: { timeout: runMs } },
);

const okOf = (run: Run, expectedTitle: string) => testsIn(run.report).find(({ title }) => title === expectedTitle)?.ok;

function expectLost(run: Run, what: Dying, why: string): void {
  expect(run).toMatchObject({ exitCode: 1, passed: 5, failed: 4, flaky: 0 });
  for (const point of Object.keys(where[what])) {
    expect.soft(okOf(run, `${what} ${point}`), point).toBe(false);
    const found = packageOf(run, `${nameOf(what, point)}-dying`);
    expectWhole(found);
    expect.soft(found.summary, point).toMatchObject({ status: 'unknown', cause_class: 'environment' });
    // On a busy machine, this happens before the next node begins.
    const failed = found.trace.find(({ ok }) => !ok);
    expect.soft(['kill', 'last'], point).toContain(failed?.nodeId);
    expect.soft(JSON.stringify(failed), point).toContain(why);
    expect.soft(found.files, point).toContain('screenshots/good.png');
    expect.soft(packageOf(run, `${nameOf(what, point)}-next`).summary, point).toMatchObject({ status: 'pass' });
  }
}

test('F46 a browser that is killed, in a node or before one, is an environment failure, and the next recipe gets a new browser', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expectLost(run, 'browser', 'The browser disconnected');
});

test('F47 after a crash of the renderer, the package names the node and keeps the last good picture, and no other recipe fails', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expectLost(run, 'page', 'crashed');
});

test('F48 five kinds of dialogs are answered and recorded, and none of them blocks its node', async ({ project }) => {
  const { run } = await runAll(project);
  expect(run.stderr).toBe('');
  expect(okOf(run, 'Dialogs')).toBe(true);
  const found = packageOf(run, 'recipes/dialogs');
  expectWhole(found);
  const answers = { alert: 'dismissed', confirm: 'accepted', prompt: 'accepted', frame: 'dismissed', beforeunload: 'accepted' };
  for (const [nodeId, answer] of Object.entries(answers)) {
    const entry = found.trace.find((each) => each.nodeId === nodeId);
    const type = nodeId === 'frame' ? 'confirm' : nodeId;
    expect.soft(entry, nodeId).toMatchObject({ ok: true, output: { dialogs: [{ type, answer }] } });
  }
});

test('F49 a node on a page that never answers ends at its own timeout, and the next recipe passes', async ({ project }) => {
  const { run } = await runAll(project);
  for (const id of Object.keys(acts)) {
    expect.soft(okOf(run, id), id).toBe(false);
    const found = packageOf(run, `recipes/silent-${id}`);
    expectWhole(found);
    expect.soft(found.summary, id).toMatchObject({ status: 'fail', cause_class: 'subject' });
    const entry = found.trace.find(({ nodeId }) => nodeId === 'node');
    expect.soft(entry?.ok, id).toBe(false);
    expect.soft(entry?.error, id).toContain('The node did not finish within 1500 ms.');
  }
  expect(packageOf(run, 'recipes/z').summary.status).toBe('pass');
});
