// A browser, a renderer or a page that fails a recipe is known for what it is, and fails no other recipe (rows F46 to F49 in this host).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Run, test } from '../support/project.js';
import { type Node, type Nodes, recipe } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const pages = await servePages();
const silent = createServer(() => undefined);
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
silent.unref();

const setup = setupFile({
  // `in_ms` later, while another node is at work; or now, and it is over when they are gone.
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
const points: Record<string, Node> = {
  'while a press waits': { action: 'ui.press', text: 'Buy' },
  'while a text is waited for': { action: 'ui.wait_for', text: 'never' },
  'while an event is waited for': { action: 'ui.wait_for', event: 'never' },
  'before a node begins': { action: 'ui.screenshot' },
};
const names = Object.fromEntries(
  [...Object.keys(points), 'while a page is opened'].map((point, index) => [point, `recipes/${index}`]),
);

/** For each point a recipe that dies there, and one after it that uses a browser, too. */
function dyingAt(what: 'browser' | 'page', where: Record<string, Node>): Record<string, unknown> {
  const files = Object.entries(where).flatMap(([point, node]) => {
    const kill = { action: 'lab.kill', what, in_ms: point.startsWith('before') ? 0 : 1_000 };
    const dying = recipe({ open, good, kill, last: { ...node, timeout_ms: 20_000 } }, { title: point, targets: ['AC1'] });
    const next = recipe({ open, see, good }, { title: 'The next one', targets: ['AC1'] });
    return [[`${names[point]}-dying.recipe.json`, dying] as const, [`${names[point]}-next.recipe.json`, next] as const];
  });
  return { 'recipes.setup.ts': setup, ...Object.fromEntries(files) };
}

function expectLost(run: Run, where: Record<string, Node>, why: string): void {
  const count = Object.keys(where).length;
  expect(run).toMatchObject({ exitCode: 1, passed: count, failed: count, flaky: 0 });
  for (const point of Object.keys(where)) {
    const found = packageOf(run, `${names[point]}-dying`);
    expectWhole(found);
    expect.soft(found.summary, point).toMatchObject({ status: 'unknown', cause_class: 'environment' });
    // On a busy machine it happens before the next node begins.
    const failed = found.trace.find(({ ok }) => !ok);
    expect.soft(['kill', 'last'], point).toContain(failed?.nodeId);
    expect.soft(JSON.stringify(failed), point).toContain(why);
    expect.soft(found.files, point).toContain('screenshots/good.png');
    expect.soft(packageOf(run, `${names[point]}-next`).summary, point).toMatchObject({ status: 'pass' });
  }
}

test('F46 a browser that is killed at any of 5 points is trouble of the environment, and the next recipe gets a fresh one', async ({
  project,
}) => {
  const where = { ...points, 'while a page is opened': slow };
  expectLost(await project(dyingAt('browser', where)).run(), where, 'The browser went away');
});

test('F47 a renderer that crashes at any of 5 points names the node, keeps the last good picture, and fails no other recipe', async ({
  project,
}) => {
  const where = { ...points, 'while a page is opened': { action: 'ui.set_input', selector: '#late', value: 'x' } };
  expectLost(await project(dyingAt('page', where)).run(), where, 'crashed');
});

test('F48 five kinds of dialogs are answered and recorded, and each node ends within its time', async ({ project }) => {
  const press = { action: 'ui.press', test_id: 'ask', timeout_ms: 5_000 };
  const asking = (code: string): Node => ({
    action: 'ui.navigate',
    url: pages.url(`<button data-testid=ask onclick='${code}'>Ask</button>`),
    timeout_ms: 5_000,
  });
  const leaving =
    '<script>onbeforeunload = (event) => { event.preventDefault(); return "stay?" }</script><button data-testid=ask>x</button>';
  const framed = `<iframe srcdoc='<button data-testid=ask onclick="confirm(\`framed\`)">Ask</button>'></iframe>`;
  const nodes: Nodes = {
    'open-alert': asking('alert("hello")'),
    alert: press,
    'open-confirm': asking('confirm("hello")'),
    confirm: { ...press, dialog: 'accept' },
    'open-prompt': asking('document.title = prompt("hello")'),
    prompt: { ...press, dialog: { accept: true, text: 'Ada' } },
    'see-answer': { action: 'app.status', assert: { path: '$.title', operator: 'eq', value: 'Ada' } },
    'open-frame': { action: 'ui.navigate', url: pages.url(framed) },
    frame: { action: 'ui.press', selector: 'iframe >> internal:control=enter-frame >> button', timeout_ms: 5_000 },
    'open-leaving': { action: 'ui.navigate', url: pages.url(leaving) },
    touch: press,
    beforeunload: { ...asking('1'), timeout_ms: 5_000 },
  };
  const run = await project({ 'recipes/a.recipe.json': recipe(nodes) }).run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1 });
  const found = packageOf(run, 'recipes/a');
  expectWhole(found);
  const answers = { alert: 'dismissed', confirm: 'accepted', prompt: 'accepted', frame: 'dismissed', beforeunload: 'accepted' };
  for (const [nodeId, answer] of Object.entries(answers)) {
    const entry = found.trace.find((each) => each.nodeId === nodeId);
    const type = nodeId === 'frame' ? 'confirm' : nodeId;
    expect.soft(entry, nodeId).toMatchObject({ ok: true, output: { dialogs: [{ type, answer }] } });
    expect.soft(entry?.durationMs).toBeLessThan(5_000);
  }
});

test('F49 on a page that never answers a node ends a second after its time at most, and the next recipe passes', async ({
  project,
}) => {
  const hangs = '<button data-testid=a>x</button><script>onload = () => setTimeout(() => { for (;;) {} }, 100)</script>';
  const timeout_ms = 1_500;
  const acts: Nodes = {
    press: { action: 'ui.press', test_id: 'a' },
    see: { action: 'ui.wait_for', text: 'missing' },
    shoot: { action: 'ui.screenshot' },
  };
  const pause = { action: 'wait', duration_ms: 400 };
  const files = Object.entries(acts).map(([id, node]) => {
    const nodes = { open: { action: 'ui.navigate', url: pages.url(hangs) }, pause, node: { ...node, timeout_ms } };
    return [`recipes/${id}.recipe.json`, recipe(nodes, { title: id })] as const;
  });
  const next = recipe({ open, see, good }, { title: 'The next one', targets: ['AC1'] });
  const run = await project({ ...Object.fromEntries(files), 'recipes/z.recipe.json': next }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3 });
  for (const id of Object.keys(acts)) {
    const found = packageOf(run, `recipes/${id}`);
    expectWhole(found);
    expect.soft(found.summary, id).toMatchObject({ status: 'fail', cause_class: 'subject' });
    const entry = found.trace.find(({ nodeId }) => nodeId === 'node');
    expect.soft(entry?.ok, id).toBe(false);
    expect.soft(entry?.durationMs, id).toBeLessThanOrEqual(timeout_ms + 1_000);
  }
  expect(packageOf(run, 'recipes/z').summary.status).toBe('pass');
});
