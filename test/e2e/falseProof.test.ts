// What looks like proof and is none: our own HUD, the absence of what never was, the picture of an error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { expect, type Run, test } from '../support/project.js';
import { type Nodes, recipe } from '../support/recipe.js';

const pages = await servePages();
const failing = createServer((_, response) => {
  response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>');
});
await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
failing.unref();

const AC1 = { proofTarget: 'AC1' };
const window = { record: 'proof_window', ...AC1 };
const open = { action: 'ui.navigate', url: pages.url('<h1>The shop</h1><p data-testid=note>here</p>') };
const shot = { action: 'ui.screenshot', ...AC1 };

const filesOf = (cases: Record<string, Nodes>) =>
  Object.fromEntries(
    Object.entries(cases).map(([id, nodes]) => [`recipes/${id}.recipe.json`, recipe(nodes, { title: id, targets: ['AC1'] })]),
  );

function expectNoProof(run: Run, cases: Record<string, Nodes>, expected: Record<string, unknown>): void {
  for (const id of Object.keys(cases)) {
    const found = packageOf(run, `recipes/${id}`);
    expectWhole(found);
    expect.soft(found.summary, id).toMatchObject(expected);
    expect.soft(found.summary.proof[0]?.status, id).not.toBe('proven');
  }
}

test('what the HUD says satisfies no wait', async ({ project }) => {
  const wait = { action: 'ui.wait_for', timeout_ms: 1_500, ...AC1 };
  const intent = 'See the golden ticket';
  const cases: Record<string, Nodes> = {
    'its-own-intent': { open, wait: { ...wait, intent, text: 'golden ticket' } },
    'a-part-of-it': { open, wait: { ...wait, intent, selector: 'body', text_contains: ['golden ticket'] } },
    annotated: { open, say: { action: 'app.hud', text: 'golden ticket' }, wait: { ...wait, text: 'golden ticket' } },
    'by-role': { open, say: { action: 'app.hud', text: 'x', title: 'ticket' }, wait: { ...wait, role: 'status' } },
  };
  const seen = { open, say: { action: 'app.hud', text: 'golden ticket' }, wait: { ...wait, text: 'The shop' }, shot };
  const options = { recipes: { use: { recipeOptions: { hud: {} } } } };
  const run = await project({ ...filesOf(cases), ...filesOf({ seen }) }, options).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 4 });
  expectNoProof(run, cases, { status: 'fail', cause_class: 'subject', proof: [{ id: 'AC1', status: 'refuted', failed: 1 }] });
  // It was there to be seen.
  expect(packageOf(run, 'recipes/seen').files).toContain('screenshots/shot-hud.png');
});

test('what has never been seen is not proven gone', async ({ project }) => {
  const gone = { action: 'ui.wait_for', timeout_ms: 1_500, ...AC1 };
  const cases: Record<string, Nodes> = {
    hidden: { open, gone: { ...gone, test_id: 'spinner', expected: 'hidden' }, shot },
    absent: { open, gone: { ...gone, test_id: 'spinner', expected: 'absent' }, shot },
    text: { open, gone: { ...gone, text: 'Loading', expected: 'hidden' }, shot },
    // It was there under another name.
    misspelt: {
      open,
      see: { action: 'ui.wait_for', test_id: 'note' },
      gone: { ...gone, test_id: 'note2', expected: 'absent' },
      shot,
    },
  };
  const leaving = pages.url('<h1>The shop</h1><p data-testid=note onclick="this.remove()">here</p>');
  const left = {
    open: { action: 'ui.navigate', url: leaving },
    press: { action: 'ui.press', test_id: 'note' },
    gone: { ...gone, test_id: 'note', expected: 'absent' },
    shot,
  };
  const run = await project({ ...filesOf(cases), ...filesOf({ left }) }).run();
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 4 });
  expectNoProof(run, cases, { status: 'fail' });
  expect(packageOf(run, 'recipes/left').summary.status).toBe('pass');
});

test('no picture of an error page or of one colour counts for a claim, whoever takes it', async ({ project }) => {
  const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`;
  const fails = {
    open: { action: 'ui.navigate', url: pages.url(`<a data-testid=go href="${url}">go</a>`) },
    go: { action: 'ui.press', test_id: 'go' },
  };
  const asked: Record<string, Nodes> = { 'asked-for': { ...fails, see: { action: 'ui.wait_for', text: 'Sorry', ...AC1 }, shot } };
  const white = pages.url('<p data-testid=note style="color:#fff">white on white</p>');
  const byItself: Record<string, Nodes> = {
    'of-an-error': { ...fails, see: { action: 'ui.wait_for', text: 'Sorry', ...window } },
    'of-one-colour': { open: { action: 'ui.navigate', url: white }, see: { action: 'ui.wait_for', test_id: 'note', ...window } },
  };
  const shown = { open, see: { action: 'ui.wait_for', test_id: 'note', ...window } };
  const run = await project({ ...filesOf(asked), ...filesOf(byItself), ...filesOf({ shown }) }).run();
  expectNoProof(run, asked, { status: 'fail' });
  const unproven = [{ id: 'AC1', status: 'unproven', held: 1, artifacts: 0 }];
  expectNoProof(run, byItself, { status: 'unknown', proof: unproven });
  expect(packageOf(run, 'recipes/shown').summary).toMatchObject({ status: 'pass', proof: [{ status: 'proven' }] });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3 });
});
