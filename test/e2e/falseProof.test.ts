// Facts that are no proof: text in our own HUD, the absence of text that never appeared, the picture of an error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { servePages } from '../support/pages.js';
import { eventMs, runMs } from '../support/patience.js';
import type { Run } from '../support/project.js';
import { type Nodes, recipe } from '../support/recipe.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';

test.describe.configure({ mode: 'default' });

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

// A false condition stays false after any wait, and a true condition may need time.
const never = { timeout_ms: 500 };
const patient = { timeout_ms: eventMs };

const waitFor = { action: 'ui.wait_for', ...AC1 };
const intent = 'See the golden ticket';
const saysTicket = { action: 'app.hud', text: 'golden ticket' };
const besideHud: Record<string, Nodes> = {
  'its-own-intent': { open, wait: { ...waitFor, ...never, intent, text: 'golden ticket' } },
  'a-part-of-it': { open, wait: { ...waitFor, ...never, intent, selector: 'body', text_contains: ['golden ticket'] } },
  annotated: { open, say: saysTicket, wait: { ...waitFor, ...never, text: 'golden ticket' } },
  'by-role': { open, say: { action: 'app.hud', text: 'x', title: 'ticket' }, wait: { ...waitFor, ...never, role: 'status' } },
};
const seen: Nodes = { open, say: saysTicket, wait: { ...waitFor, ...patient, text: 'The shop' }, shot };

const neverSeen: Record<string, Nodes> = {
  hidden: { open, gone: { ...waitFor, ...never, test_id: 'spinner', expected: 'hidden' }, shot },
  absent: { open, gone: { ...waitFor, ...never, test_id: 'spinner', expected: 'absent' }, shot },
  text: { open, gone: { ...waitFor, ...never, text: 'Loading', expected: 'hidden' }, shot },
  // The text was in the page under another name.
  misspelt: {
    open,
    see: { action: 'ui.wait_for', test_id: 'note' },
    gone: { ...waitFor, ...never, test_id: 'note2', expected: 'absent' },
    shot,
  },
};
const leaving = pages.url('<h1>The shop</h1><p data-testid=note onclick="this.remove()">here</p>');
const left: Nodes = {
  open: { action: 'ui.navigate', url: leaving },
  press: { action: 'ui.press', test_id: 'note' },
  gone: { ...waitFor, ...patient, test_id: 'note', expected: 'absent' },
  shot,
};

const failingUrl = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`;
const fails = {
  open: { action: 'ui.navigate', url: pages.url(`<a data-testid=go href="${failingUrl}">go</a>`) },
  go: { action: 'ui.press', test_id: 'go' },
};
const requested: Record<string, Nodes> = {
  'asked-for': { ...fails, see: { action: 'ui.wait_for', text: 'Sorry', ...AC1 }, shot },
};
const white = pages.url('<p data-testid=note style="color:#fff">white on white</p>');
const byItself: Record<string, Nodes> = {
  'of-an-error': { ...fails, see: { action: 'ui.wait_for', text: 'Sorry', ...window } },
  'of-one-colour': { open: { action: 'ui.navigate', url: white }, see: { action: 'ui.wait_for', test_id: 'note', ...window } },
};
const shown: Nodes = { open, see: { action: 'ui.wait_for', test_id: 'note', ...window } };

/** One recipe with a claim for each case. It continues after each failed wait except the last. */
function together(title: string, cases: Record<string, Nodes>): object {
  const ids = Object.keys(cases);
  const nodes = Object.entries(cases).flatMap(([id, nodes]) =>
    Object.entries(nodes).map(([name, node]) => {
      const claims = 'proofTarget' in node ? { proofTarget: id } : {};
      const goesOn = 'proofTarget' in node && id !== ids.at(-1) ? { rw: { on_fail: 'continue' } } : {};
      return [`${id}-${name}`, { ...node, ...claims, ...goesOn }] as const;
    }),
  );
  return recipe(Object.fromEntries(nodes), { title, targets: ids });
}

const red: Record<string, Record<string, Nodes>> = {
  'hud/beside': besideHud,
  'plain/never': { ...neverSeen, ...requested },
  'plain/itself': byItself,
};
const filesOf = (folder: string, cases: Record<string, Nodes>) =>
  Object.fromEntries(
    Object.entries(cases).map(([id, nodes]) => [`${folder}/${id}.recipe.json`, recipe(nodes, { title: id, targets: ['AC1'] })]),
  );

const runAll = shareRun({
  'playwright.config.ts': `
    import { defineConfig } from '@playwright/test';
    import { localChromium, recipeProject } from 'recipewright/playwright';
    export default defineConfig({
      workers: 1,
      timeout: ${runMs},
      use: localChromium(),
      reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
      projects: [
        recipeProject({ name: 'hud', recipes: 'hud/*.recipe.json', use: { recipeOptions: { hud: {} } } }),
        recipeProject({ name: 'plain', recipes: 'plain/*.recipe.json' }),
      ],
    });`,
  ...Object.fromEntries(Object.entries(red).map(([name, cases]) => [`${name}.recipe.json`, together(name, cases)])),
  ...filesOf('hud', { seen }),
  ...filesOf('plain', { left, shown }),
});

function expectNoProof(
  run: Run,
  name: string,
  cases: Record<string, Nodes>,
  expected: Record<string, unknown>,
  proof: object = {},
): void {
  expect(run).toMatchObject({ exitCode: 1, passed: 3, failed: 3 });
  const found = packageOf(run, `${name}--${name.split('/')[0]}`);
  expectWhole(found);
  expect(testsIn(run.report).find(({ title }) => title === name)?.ok).toBe(false);
  expect(found.summary).toMatchObject(expected);
  for (const id of Object.keys(cases)) {
    const foundProof = found.summary.proof.find((each) => each.id === id);
    expect.soft(foundProof, id).toMatchObject({ id, ...proof });
    expect.soft(foundProof?.status, id).not.toBe('proven');
  }
}

test('text in the HUD does not satisfy a wait', async ({ project }) => {
  const { run } = await runAll(project);
  expectNoProof(run, 'hud/beside', besideHud, { status: 'fail', cause_class: 'subject' }, { status: 'refuted', failed: 1 });
  // The HUD did show the text.
  const found = packageOf(run, 'hud/seen--hud');
  expect(found.summary.status).toBe('pass');
  expect(found.files).toContain('screenshots/shot-hud.png');
});

test('text that was never in the page does not count as gone', async ({ project }) => {
  const { run } = await runAll(project);
  expectNoProof(run, 'plain/never', neverSeen, { status: 'fail' });
  expect(packageOf(run, 'plain/left--plain').summary.status).toBe('pass');
});

test('no picture of an error page or of a single color proves a claim, with any action that takes it', async ({ project }) => {
  const { run } = await runAll(project);
  expectNoProof(run, 'plain/never', requested, { status: 'fail' });
  expectNoProof(run, 'plain/itself', byItself, { status: 'unknown' }, { status: 'unproven', held: 1, artifacts: 0 });
  expect(packageOf(run, 'plain/shown--plain').summary).toMatchObject({ status: 'pass', proof: [{ status: 'proven' }] });
});
