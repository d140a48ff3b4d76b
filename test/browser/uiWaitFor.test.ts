import { describe, expect, test } from 'vitest';
import type { ActionContext } from '../../src/actions/action.js';
import { awaitText } from '../../src/actions/ui/awaitElement.js';
import { Hud } from '../../src/browser/hud/hud.js';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { clockOf } from '../support/clock.js';
import { servePages } from '../support/pages.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, pages } = ui;
/** A long timeout, so that only an event or `cut` ends the node. */
const see = (fields: object) => ({ action: 'ui.wait_for', timeout_ms: 60_000, ...fields });
/** Shortens the calls of a node. With `most` 1, the calls for the error message are not shortened: they may be slow. */
const cut = (node: string, skip = 0, most = Number.POSITIVE_INFINITY) => ({ cutShort: { node, ms: 250, skip, most } });
const later = (html: string, ms = 200): string =>
  `<div id=x></div><script>setTimeout(() => x.innerHTML = ${JSON.stringify(html)}, ${ms})</script>`;
const rows = '<ul><li>Kettle 62 EUR<li>Mug 12 EUR</ul>';
const count = '<p data-testid=count>0</p><button data-testid=close onclick="this.remove()">Close me</button>';
const spinner = '<p data-testid=spin>Loading</p>';
/** Removes an element when the node has found it. */
const removeWhenSeen = (selector: string) => {
  let isSeen = false;
  const answered = (method: string, nodeId: string): void => {
    if (isSeen || method !== 'waitFor' || nodeId !== 'gone') return;
    isSeen = true;
    ui.page.evaluate(`document.querySelector('${selector}').remove()`).catch(() => undefined);
  };
  return { answered };
};

describe('ui.wait_for finds', () => {
  test.for([
    ['an element that is present and hidden', '<p hidden data-testid=a>x</p>', { test_id: 'a' }],
    ['an element that becomes visible', later('<p data-testid=a>x</p>'), { test_id: 'a', expected: 'visible' }],
    ['an element with visible: true', '<p data-testid=a>x</p>', { test_id: 'a', visible: true }],
    ['a visible element after a hidden one', '<p hidden class=a>x</p><p class=a>x</p>', { selector: '.a', expected: 'visible' }],
    ['a text', later('<p>Total 21</p>'), { text: 'Total 21' }],
    ['a text in an element', '<p data-testid=a>Total <b>21</b></p>', { test_id: 'a', text: 'Total 21' }],
    ['a text next to a hidden text', '<p>Total 21 <span hidden>euros</span></p>', { text: 'Total 21' }],
    ['a text in a container with hidden parts', '<main>Total 21<p hidden>x</p></main>', { selector: 'main', text: 'Total 21' }],
    ['a text with exact', '<p>Total 210</p><p>Total 21</p>', { text: 'Total 21', exact: true }],
    ['a text in text_contains', '<p>One</p><p>Two</p>', { text_contains: ['Two'] }],
    ['texts in one of several elements', rows, { selector: 'li', text_contains: ['kettle', '62 EUR'] }],
    [
      'texts in a container with hidden parts',
      '<main>One Two<p hidden>x</p></main>',
      { selector: 'main', text_contains: ['Two'] },
    ],
    ['two texts in one element', rows, { selector: 'li', text: 'Kettle', text_contains: ['62 EUR'] }],
    [
      'an element by selector and test id',
      '<p class=a>x</p><p class=a data-testid=b>y</p>',
      { selector: '.a', test_id: 'b', text: 'y' },
    ],
    ['a role with a name', '<button aria-label=Close>x</button>', { role: 'button', name: 'Close' }],
    ['a text in the field label', '<p>Total 21</p>', { label: 'Total 21' }],
    ['the event load', '<p>x</p>', { event: 'load' }],
    ['the event networkidle', '<p>x</p>', { event: 'networkidle' }],
    [
      'an event of the page',
      '<script>setInterval(() => dispatchEvent(new CustomEvent("ready", { detail: 5 })), 100)</script>',
      { event: 'ready' },
    ],
  ] as const)('ui.wait_for finds %s', async ([, html, fields]) => {
    const run = await uiRun(ui.page, { open: open(html), see: see(fields) });
    expect(run.error).toBe('');
    const { asserts = [], ...end } = run.ends.get('see') ?? {};
    expect(end).toMatchObject({ ok: true, output: { matched: true } });
    expect(new Set(asserts.map(({ held }) => held))).toEqual(new Set([true]));
  });

  test('ui.wait_for finds a visible text with a single call', async () => {
    const html = '<p data-testid=a>Total 21</p>';
    const nodes = { open: open(html), a: see({ text: 'Total 21' }), b: see({ test_id: 'a', text: '21' }) };
    // The clock stands still, so the polling never begins.
    const run = await uiRun(ui.page, nodes, { clock: clockOf() });
    expect(run.calls.map((call) => call.split(' ')[0])).toEqual(['goto', 'waitFor', 'waitFor']);
  });

  test('ui.wait_for finds a URL by a part or a pattern, also after a change without a load', async () => {
    const html = '<script>setTimeout(() => history.pushState({}, "", "/orders/7?done"), 100)</script>';
    const run = await uiRun(ui.page, { open: open(html), part: see({ url: '/orders/7' }), whole: see({ url: '**/orders/*' }) });
    expect(run.error).toBe('');
    const mismatch = await uiRun(ui.page, { open: open(html), whole: see({ url: '**/orders' }) }, cut('whole'));
    expect(mismatch.error).toMatch(/^ui.not_seen: url "\*\*\/orders" was not reached on http/);
  });

  test('ui.wait_for finds a URL at the end of several client-side redirects', async () => {
    const last = pages.url('<p>arrived</p>');
    const hop = (to: string): string => pages.url(`<script>location.replace(${JSON.stringify(to)})</script>`);
    const html = `<script>setTimeout(() => location.href = ${JSON.stringify(hop(hop(last)))}, 50)</script>`;
    const url = `${last.slice(0, last.indexOf('?'))}*`;
    const run = await uiRun(ui.page, { open: open(html), see: see({ url, text: 'arrived' }) });
    expect(run.error).toBe('');
  });

  test('ui.wait_for receives an event of the next page after a navigation', async () => {
    const second = pages.url('<script>setInterval(() => dispatchEvent(new Event("ready")), 50)</script>');
    const html = `<script>setTimeout(() => location.href = ${JSON.stringify(second)}, 150)</script>`;
    const run = await uiRun(ui.page, { open: open(html), see: see({ event: 'ready' }) });
    expect(run.ends.get('see')?.output).toMatchObject({ matched: true, event: 'ready' });
  });

  test('each condition of ui.wait_for is a separate assertion', async () => {
    const nodes = { open: open('<p>One</p>'), see: see({ text_contains: ['One', 'Two'], event: 'load' }) };
    const run = await uiRun(ui.page, nodes, cut('see', 2, 1));
    const held = run.ends.get('see')?.asserts?.map(({ operator, path, held }) => [operator, path, held]);
    expect(held).toEqual([
      ['event', 'event "load"', true],
      ['present', 'text "One"', true],
      ['present', 'text "Two"', false],
    ]);
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
  });
});

describe('ui.wait_for does not find', () => {
  test.for([
    ['a hidden text', '<p hidden>Total 21</p>', { text: 'Total 21' }],
    ['a text whose end is hidden', '<p>Total <b hidden>21</b></p>', { text: 'Total 21' }],
    [
      'a text of the title, a script, a comment or a placeholder',
      '<title>Total 21</title><script>"Total 21"</script><!-- Total 21 --><input placeholder="Total 21">',
      { text: 'Total 21' },
    ],
    ['a hidden text in an element', '<p data-testid=a>x <b hidden>21</b></p>', { test_id: 'a', text: '21' }],
    ['a text of a hidden element', '<p data-testid=a hidden>21</p>', { test_id: 'a', text: '21' }],
    ['a longer text with exact', '<p>Total 210</p>', { text: 'Total 21', exact: true }],
    ['one of several texts', '<p>One</p>', { text_contains: ['One', 'Two'] }],
    ['a text outside the element', count, { test_id: 'count', text_contains: ['Close me'] }],
    ['a text outside a visible element', count, { test_id: 'count', text_contains: ['Close me'], expected: 'visible' }],
    [
      'a text outside the element of a role',
      `<h1>Cart</h1>${count}`,
      { role: 'heading', name: 'Cart', text_contains: ['Close me'] },
    ],
    ['a text outside the element of a target', count, { target: 'count', text_contains: ['0', 'Close me'] }],
    ['two texts in two elements', rows, { selector: 'li', text_contains: ['Kettle', '12 EUR'] }],
    ['two texts in two elements, one in the field text', rows, { selector: 'li', text: 'Mug', text_contains: ['62 EUR'] }],
    ['a hidden text in a visible element', '<p class=a>One <b hidden>Two</b></p>', { selector: '.a', text_contains: ['Two'] }],
    ['a text_contains text in a hidden element', '<p class=a hidden>One</p>', { selector: '.a', text_contains: ['One'] }],
    ['a test id on another element than the selector', count, { selector: 'button', test_id: 'count' }],
    ['a role on another element than the test id', count, { test_id: 'count', role: 'button', name: 'Close me' }],
    ['a test id on another element than the target', count, { test_id: 'count', target: 'close' }],
    ['a text with a missing label', count, { text: 'Close me', label: 'Open me' }],
    ['an event that does not occur', '<p>x</p>', { event: 'ready' }],
  ] as const)('ui.wait_for does not find %s', async ([, html, fields]) => {
    const run = await uiRun(ui.page, { open: open(html), see: see(fields) }, cut('see'));
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.error).toMatch(/^ui.not_seen/);
    expect(run.ends.get('see')?.asserts?.at(-1)).toMatchObject({ held: false, actual: false });
  });

  test('ui.wait_for says what an element shows instead of the expected text', async () => {
    const nodes = { open: open(count), see: see({ test_id: 'count', text_contains: ['0', 'Close me'] }) };
    const run = await uiRun(ui.page, nodes, cut('see', 2, 1));
    const held = run.ends.get('see')?.asserts?.map(({ path, held }) => [path, held]);
    expect(held).toEqual([
      ['test id "count"', true],
      ['test id "count" that contains "0"', true],
      ['test id "count" that contains "0" and "Close me"', false],
    ]);
    expect(run.error).toMatch(/^ui.not_seen: test id "count" that contains "0" and "Close me" is not present on http/);
    expect(run.error).toContain('\ntest id "count" shows "0".\n');
    const html = '<li>a</li><li hidden>b</li><li></li><li>c</li>';
    const text = await uiRun(ui.page, { open: open(html), see: see({ selector: 'li', text: 'x' }) }, cut('see', 0, 1));
    expect(text.error).toContain('\nli shows "a", and nothing, because it is hidden, and no text.\n');
  });

  test('ui.wait_for does not find a text of the HUD', async () => {
    const page = await freshPage(ui.browser);
    const hud = new Hud(runPagesOf(page), { display: {}, total: 3 });
    const began = (): void => void hud.annotate({ text: 'Order confirmed', status: 'running' }).catch(() => undefined);
    const nodes = { open: open('<p>Nothing here</p>'), see: see({ text: 'Order confirmed' }) };
    const run = await uiRun(page, nodes, { began, ...cut('see', 0, 1) });
    expect(run.error).toMatch(/^ui.not_seen: text "Order confirmed" is not present/);
    expect(run.error).toContain('- paragraph: Nothing here');
    await page.context().close();
  });
});

describe('ui.wait_for for an absence', () => {
  test.for([
    ['"expected": "absent"', { expected: 'absent' }],
    ['"expected": "not_present"', { expected: 'not_present' }],
    ['"expected": "hidden"', { expected: 'hidden' }],
    ['"visible": false', { visible: false }],
  ] as const)('ui.wait_for with %s waits until an element disappears', async ([, fields]) => {
    const gone = see({ test_id: 'spin', ...fields });
    const run = await uiRun(ui.page, { open: open(spinner), gone }, removeWhenSeen('[data-testid=spin]'));
    expect([run.error, run.status]).toEqual(['', 'pass']);
  });

  test('ui.wait_for for an absence waits for an element that appears late and then disappears', async () => {
    const came = `x.innerHTML = '<p data-testid=spin>Loading</p>'`;
    const began = (nodeId: string): void => void (nodeId === 'gone' && ui.page.evaluate(came).catch(() => undefined));
    const nodes = { open: open('<div id=x></div>'), gone: see({ test_id: 'spin', expected: 'hidden' }) };
    const run = await uiRun(ui.page, nodes, { began, ...removeWhenSeen('[data-testid=spin]') });
    expect(run.error).toBe('');
  });

  test('ui.wait_for passes for the absence of an element that an earlier node pressed', async () => {
    const html = `<button data-testid=buy onclick="this.remove()">Buy</button>`;
    const press = { action: 'ui.press', test_id: 'buy' };
    const run = await uiRun(ui.page, { open: open(html), press, gone: see({ test_id: 'buy', expected: 'absent' }) });
    expect(run.error).toBe('');
  });

  test.for(['hidden', 'absent', 'not_present'])(
    'ui.wait_for with "expected": "%s" fails for an element that was never there',
    async (expected) => {
      const run = await uiRun(ui.page, { open: open('<p>Done</p>'), gone: see({ test_id: 'spin', expected }) }, cut('gone'));
      expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
      expect(run.error).toMatch(/^ui.never_seen: This run never saw test id "spin".*"initial": true/s);
    },
  );

  test('ui.wait_for for an absence asks for the same target when an element was pressed under another name', async () => {
    const press = { action: 'ui.press', test_id: 'close' };
    const run = await uiRun(
      ui.page,
      { open: open(count), press, gone: see({ text: 'Close me', expected: 'absent' }) },
      cut('gone'),
    );
    expect(run.error).toMatch(/^ui.never_seen: This run never saw text "Close me".* the same target /);
    expect(run.error).not.toContain('on the page in this run');
  });

  test('ui.wait_for with "expected": "hidden" fails for an element that was never visible', async () => {
    const there = see({ test_id: 'spin' });
    const html = '<p data-testid=spin hidden>Loading</p>';
    const run = await uiRun(
      ui.page,
      { open: open(html), there, gone: see({ test_id: 'spin', expected: 'hidden' }) },
      cut('gone'),
    );
    expect(run.error).toMatch(/^ui.never_seen/);
  });

  const panel = `<p>Saved</p><div id=panel data-testid=panel>Delete it?<button onclick="panel.remove()">Yes</button></div>`;
  const yes = { action: 'ui.press', text: 'Yes' };
  const question = { test_id: 'panel', text_contains: ['Delete', 'Yes'] };

  test.for(['hidden', 'absent'])(
    'ui.wait_for with "expected": "%s" waits until an element with several texts disappears',
    async (expected) => {
      const gone = see({ ...question, expected });
      const run = await uiRun(ui.page, { open: open(panel), there: see(question), yes, gone });
      expect([run.error, run.status]).toEqual(['', 'pass']);
      // A new run must see the element itself.
      runPagesOf(ui.page).stopListening();
      const secondRun = await uiRun(ui.page, { open: open(panel), gone }, removeWhenSeen('#panel'));
      expect([secondRun.error, secondRun.status]).toEqual(['', 'pass']);
    },
  );

  test('ui.wait_for for an absence fails for a text that was only outside the element', async () => {
    const gone = see({ test_id: 'panel', text_contains: ['Saved'], expected: 'hidden' });
    const nodes = { open: open(panel), there: see({ text: 'Saved' }), asked: see(question), yes, gone };
    const run = await uiRun(ui.page, nodes, cut('gone'));
    expect(run.error).toMatch(/^ui.never_seen: This run never saw test id "panel" that contains "Saved"/);
  });

  test('ui.wait_for with "expected": "hidden" fails when the element stays with another text', async () => {
    const html = `${panel}<script>panel.onclick = () => panel.textContent = 'Deleted'</script>`.replace('panel.remove()', '');
    const gone = see({ ...question, expected: 'hidden' });
    const run = await uiRun(ui.page, { open: open(html), there: see(question), yes, gone }, cut('gone'));
    expect(run.error).toMatch(/^ui.not_seen: test id "panel" that contains "Delete" and "Yes" is not hidden on .* use "text"/);
    const left = see({ test_id: 'panel', text: 'Delete it', expected: 'hidden' });
    const text = await uiRun(ui.page, { open: open(html), there: see({ test_id: 'panel', text: 'Delete it' }), yes, left });
    expect(text.error).toBe('');
  });

  test('ui.wait_for with "initial": true passes for an element that was never there', async () => {
    const run = await uiRun(ui.page, {
      open: open('<p>Done</p>'),
      gone: see({ text: 'Error', expected: 'absent', initial: true }),
    });
    expect(run.status).toBe('pass');
    const nodes = { open: open('<p>Error</p>'), gone: see({ text: 'Error', expected: 'absent', initial: true }) };
    const present = await uiRun(ui.page, nodes, cut('gone'));
    expect(present.error).toMatch(/^ui.not_seen: text "Error" is not absent/);
  });

  test('ui.wait_for for an absence fails for an invalid selector', async () => {
    for (const initial of [true, false]) {
      const run = await uiRun(ui.page, { open: open('<p>Done</p>'), gone: see({ selector: 'p[', expected: 'hidden', initial }) });
      expect.soft([run.status, run.error]).toEqual(['fail', expect.stringMatching(/^ui.not_seen: p\[ is not hidden.*selector/s)]);
    }
  });

  test('ui.wait_for for an absence fails when one of two elements stays', async () => {
    const there = see({ selector: '.a', expected: 'visible' });
    const nodes = {
      open: open('<p class=a>one</p><p class=a>two</p>'),
      there,
      gone: see({ selector: '.a', expected: 'hidden' }),
    };
    const began = (nodeId: string): void => {
      if (nodeId === 'gone') ui.page.evaluate(`document.querySelector('.a').remove()`).catch(() => undefined);
    };
    const run = await uiRun(ui.page, nodes, { began, ...cut('gone') });
    expect(run.error).toMatch(/^ui.not_seen: \.a is not hidden/);
  });

  test('ui.wait_for for an absence fails on a blank page and on an error page', async () => {
    const gone = see({ text: 'Error', expected: 'absent', initial: true });
    const blank = await freshPage(ui.browser);
    expect((await uiRun(blank, { gone })).error).toMatch(/^ui.no_page: .*about:blank/);
    const closed = await servePages();
    closed.close();
    const open = { action: 'ui.navigate', url: closed.url('x'), rw: { on_fail: 'continue' } };
    expect((await uiRun(blank, { before: ui.open('<p>before</p>'), open, gone })).error).toMatch(/^ui.no_page: .*chrome-error/);
    await blank.context().close();
  });
});

test('ui.wait_for stops polling the page when its node is stopped', async () => {
  const calls: PropertyKey[] = [];
  const clock = clockOf();
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const context = {
    call: async (target: Record<PropertyKey, (...args: unknown[]) => unknown>, method: PropertyKey, ...args: unknown[]) => {
      calls.push(method);
      last = Promise.resolve(target[method]?.(...args));
      return last;
    },
    ...{ clock, signal: stopping.signal, remainingMs: () => 5_000 },
  } as unknown as ActionContext;
  const wait = {
    text: 'Never',
    exact: false,
    locateContainers: () => ui.page.locator('body'),
    waitForVisible: () => new Promise<void>(() => undefined),
  };
  const wakeUp = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await last;
    await new Promise(setImmediate);
  };
  void awaitText(context, wait);
  await wakeUp(1_000);
  await wakeUp(1_000);
  expect(calls).toEqual(['evaluateAll', 'evaluateAll']);
  stopping.abort();
  await wakeUp(10_000);
  expect(calls).toHaveLength(2);
});

test('a ui.wait_for that fails just after its timeout still says what was not found', async () => {
  const clock = clockOf();
  const failed = (method: string): void => void (method === 'waitFor' && clock.advance(1_200));
  const nodes = { open: open('<p>Done</p>'), see: see({ test_id: 'never', timeout_ms: 1_200 }) };
  const run = await uiRun(ui.page, nodes, { clock, failed });
  expect(run.error).toMatch(/^ui.not_seen: test id "never" is not present on .*The node did not finish within 1200 ms/s);
});
