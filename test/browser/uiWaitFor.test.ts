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
/** Only an event ends it, or the host that cuts it short. */
const see = (fields: object) => ({ action: 'ui.wait_for', timeout_ms: 60_000, ...fields });
/** With `most` 1, what a failure says of the page is not cut short: on a busy machine it takes longer. */
const cut = (node: string, skip = 0, most = Number.POSITIVE_INFINITY) => ({ cutShort: { node, ms: 250, skip, most } });
const later = (html: string, ms = 200): string =>
  `<div id=x></div><script>setTimeout(() => x.innerHTML = ${JSON.stringify(html)}, ${ms})</script>`;
const rows = '<ul><li>Kettle 62 EUR<li>Mug 12 EUR</ul>';
const count = '<p data-testid=count>0</p><button data-testid=close onclick="this.remove()">Close me</button>';
const spinner = '<p data-testid=spin>Loading</p>';
/** Takes something away once the node has seen it. */
const takeAway = (selector: string) => {
  let isSeen = false;
  const answered = (method: string, nodeId: string): void => {
    if (isSeen || method !== 'waitFor' || nodeId !== 'gone') return;
    isSeen = true;
    ui.page.evaluate(`document.querySelector('${selector}').remove()`).catch(() => undefined);
  };
  return { answered };
};

describe('ui.wait_for sees', () => {
  test.for([
    ['an element that is present and hidden', '<p hidden data-testid=a>x</p>', { test_id: 'a' }],
    ['an element that becomes visible', later('<p data-testid=a>x</p>'), { test_id: 'a', expected: 'visible' }],
    ['what is visible: true', '<p data-testid=a>x</p>', { test_id: 'a', visible: true }],
    ['a visible one behind a hidden one', '<p hidden class=a>x</p><p class=a>x</p>', { selector: '.a', expected: 'visible' }],
    ['a text', later('<p>Total 21</p>'), { text: 'Total 21' }],
    ['a text in an element', '<p data-testid=a>Total <b>21</b></p>', { test_id: 'a', text: 'Total 21' }],
    ['a text beside a hidden one', '<p>Total 21 <span hidden>euros</span></p>', { text: 'Total 21' }],
    ['a text in a container with hidden parts', '<main>Total 21<p hidden>x</p></main>', { selector: 'main', text: 'Total 21' }],
    ['a text that is all of it', '<p>Total 210</p><p>Total 21</p>', { text: 'Total 21', exact: true }],
    ['a text of several', '<p>One</p><p>Two</p>', { text_contains: ['Two'] }],
    ['texts in one of several elements', rows, { selector: 'li', text_contains: ['kettle', '62 EUR'] }],
    [
      'texts in a container with hidden parts',
      '<main>One Two<p hidden>x</p></main>',
      { selector: 'main', text_contains: ['Two'] },
    ],
    ['a text beside another in an element', rows, { selector: 'li', text: 'Kettle', text_contains: ['62 EUR'] }],
    ['an element by two ways', '<p class=a>x</p><p class=a data-testid=b>y</p>', { selector: '.a', test_id: 'b', text: 'y' }],
    ['a role with a name', '<button aria-label=Close>x</button>', { role: 'button', name: 'Close' }],
    ['a label for a text', '<p>Total 21</p>', { label: 'Total 21' }],
    ['the end of loading', '<p>x</p>', { event: 'load' }],
    ['that nothing is fetched', '<p>x</p>', { event: 'networkidle' }],
    [
      'an event of the page',
      '<script>setInterval(() => dispatchEvent(new CustomEvent("ready", { detail: 5 })), 100)</script>',
      { event: 'ready' },
    ],
  ] as const)('%s', async ([, html, fields]) => {
    const run = await uiRun(ui.page, { open: open(html), see: see(fields) });
    expect(run.error).toBe('');
    const { asserts = [], ...end } = run.ends.get('see') ?? {};
    expect(end).toMatchObject({ ok: true, output: { matched: true } });
    expect(new Set(asserts.map(({ held }) => held))).toEqual(new Set([true]));
  });

  test('in the good case at the price of one call', async () => {
    const html = '<p data-testid=a>Total 21</p>';
    const nodes = { open: open(html), a: see({ text: 'Total 21' }), b: see({ test_id: 'a', text: '21' }) };
    // The second look comes later, and here it never gets that late.
    const run = await uiRun(ui.page, nodes, { clock: clockOf() });
    expect(run.calls.map((call) => call.split(' ')[0])).toEqual(['goto', 'waitFor', 'waitFor']);
  });

  test('an address, as a part or as a pattern, also when it changes without a load', async () => {
    const html = '<script>setTimeout(() => history.pushState({}, "", "/orders/7?done"), 100)</script>';
    const run = await uiRun(ui.page, { open: open(html), part: see({ url: '/orders/7' }), whole: see({ url: '**/orders/*' }) });
    expect(run.error).toBe('');
    const not = await uiRun(ui.page, { open: open(html), whole: see({ url: '**/orders' }) }, cut('whole'));
    expect(not.error).toMatch(/^ui.not_seen: url "\*\*\/orders" is not the address on http/);
  });

  test('an address of a page that goes on at once, and is asked again', async () => {
    const last = pages.url('<p>arrived</p>');
    const hop = (to: string): string => pages.url(`<script>location.replace(${JSON.stringify(to)})</script>`);
    const html = `<script>setTimeout(() => location.href = ${JSON.stringify(hop(hop(last)))}, 50)</script>`;
    const url = `${last.slice(0, last.indexOf('?'))}*`;
    const run = await uiRun(ui.page, { open: open(html), see: see({ url, text: 'arrived' }) });
    expect(run.error).toBe('');
  });

  test('an event of a page that comes after the one it began to listen to', async () => {
    const second = pages.url('<script>setInterval(() => dispatchEvent(new Event("ready")), 50)</script>');
    const html = `<script>setTimeout(() => location.href = ${JSON.stringify(second)}, 150)</script>`;
    const run = await uiRun(ui.page, { open: open(html), see: see({ event: 'ready' }) });
    expect(run.ends.get('see')?.output).toMatchObject({ matched: true, event: 'ready' });
  });

  test('each condition as an assertion of its own', async () => {
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

describe('ui.wait_for does not see', () => {
  test.for([
    ['a text that is hidden', '<p hidden>Total 21</p>', { text: 'Total 21' }],
    ['a text whose end is hidden', '<p>Total <b hidden>21</b></p>', { text: 'Total 21' }],
    [
      'a text of the title, a script, a comment or a placeholder',
      '<title>Total 21</title><script>"Total 21"</script><!-- Total 21 --><input placeholder="Total 21">',
      { text: 'Total 21' },
    ],
    ['a hidden text in an element', '<p data-testid=a>x <b hidden>21</b></p>', { test_id: 'a', text: '21' }],
    ['a text of an element that is hidden', '<p data-testid=a hidden>21</p>', { test_id: 'a', text: '21' }],
    ['a longer text when it is to be all of it', '<p>Total 210</p>', { text: 'Total 21', exact: true }],
    ['one of its texts', '<p>One</p>', { text_contains: ['One', 'Two'] }],
    ['a text outside of the element', count, { test_id: 'count', text_contains: ['Close me'] }],
    ['a text outside of a visible element', count, { test_id: 'count', text_contains: ['Close me'], expected: 'visible' }],
    ['a text outside of a role', `<h1>Cart</h1>${count}`, { role: 'heading', name: 'Cart', text_contains: ['Close me'] }],
    ['a text outside of what is known as target', count, { target: 'count', text_contains: ['0', 'Close me'] }],
    ['two texts in two elements', rows, { selector: 'li', text_contains: ['Kettle', '12 EUR'] }],
    ['two texts in two elements, one as text', rows, { selector: 'li', text: 'Mug', text_contains: ['62 EUR'] }],
    [
      'a hidden text of several in an element',
      '<p class=a>One <b hidden>Two</b></p>',
      { selector: '.a', text_contains: ['Two'] },
    ],
    ['a text of several in a hidden element', '<p class=a hidden>One</p>', { selector: '.a', text_contains: ['One'] }],
    ['a test id on another element than the selector', count, { selector: 'button', test_id: 'count' }],
    ['a role on another element than the test id', count, { test_id: 'count', role: 'button', name: 'Close me' }],
    ['a test id on another element than the target', count, { test_id: 'count', target: 'close' }],
    ['a label that is not there beside a text', count, { text: 'Close me', label: 'Open me' }],
    ['an event that nobody sends', '<p>x</p>', { event: 'ready' }],
  ] as const)('%s', async ([, html, fields]) => {
    const run = await uiRun(ui.page, { open: open(html), see: see(fields) }, cut('see'));
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.error).toMatch(/^ui.not_seen/);
    expect(run.ends.get('see')?.asserts?.at(-1)).toMatchObject({ held: false, actual: false });
  });

  test('a text outside of the element, and says what the element shows instead', async () => {
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

  test('what the HUD says', async () => {
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

describe('ui.wait_for, for what is gone,', () => {
  test.for([
    ['sees what was there go', { expected: 'absent' }],
    ['takes not_present for absent', { expected: 'not_present' }],
    ['takes hidden for gone from view', { expected: 'hidden' }],
    ['takes visible: false for hidden', { visible: false }],
  ] as const)('%s', async ([, fields]) => {
    const gone = see({ test_id: 'spin', ...fields });
    const run = await uiRun(ui.page, { open: open(spinner), gone }, takeAway('[data-testid=spin]'));
    expect([run.error, run.status]).toEqual(['', 'pass']);
  });

  test('waits for what comes late and then goes', async () => {
    const came = `x.innerHTML = '<p data-testid=spin>Loading</p>'`;
    const began = (nodeId: string): void => void (nodeId === 'gone' && ui.page.evaluate(came).catch(() => undefined));
    const nodes = { open: open('<div id=x></div>'), gone: see({ test_id: 'spin', expected: 'hidden' }) };
    const run = await uiRun(ui.page, nodes, { began, ...takeAway('[data-testid=spin]') });
    expect(run.error).toBe('');
  });

  test('knows what an earlier node saw or pressed', async () => {
    const html = `<button data-testid=buy onclick="this.remove()">Buy</button>`;
    const press = { action: 'ui.press', test_id: 'buy' };
    const run = await uiRun(ui.page, { open: open(html), press, gone: see({ test_id: 'buy', expected: 'absent' }) });
    expect(run.error).toBe('');
  });

  test.for(['hidden', 'absent', 'not_present'])('fails as vacuous when it never was there: %s', async (expected) => {
    const run = await uiRun(ui.page, { open: open('<p>Done</p>'), gone: see({ test_id: 'spin', expected }) }, cut('gone'));
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.error).toMatch(/^ui.never_seen: test id "spin" was never seen by this run under these words.*"initial": true/s);
  });

  test('does not say of what was pressed under another name that it never was there', async () => {
    const press = { action: 'ui.press', test_id: 'close' };
    const run = await uiRun(
      ui.page,
      { open: open(count), press, gone: see({ text: 'Close me', expected: 'absent' }) },
      cut('gone'),
    );
    expect(run.error).toMatch(
      /^ui.never_seen: text "Close me" was never seen by this run under these words.* in the same words /,
    );
    expect(run.error).not.toContain('on the page in this run');
  });

  test('does not take what was in the page, hidden all the time, for something that was seen', async () => {
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
  const asked = { test_id: 'panel', text_contains: ['Delete', 'Yes'] };

  test.for(['hidden', 'absent'])('sees an element go with the texts that it had: %s', async (expected) => {
    const gone = see({ ...asked, expected });
    const run = await uiRun(ui.page, { open: open(panel), there: see(asked), yes, gone });
    expect([run.error, run.status]).toEqual(['', 'pass']);
    // A run of its own has to see it by itself.
    runPagesOf(ui.page).stopListening();
    const self = await uiRun(ui.page, { open: open(panel), gone }, takeAway('#panel'));
    expect([self.error, self.status]).toEqual(['', 'pass']);
  });

  test('does not take a text elsewhere for one that the element had', async () => {
    const gone = see({ test_id: 'panel', text_contains: ['Saved'], expected: 'hidden' });
    const nodes = { open: open(panel), there: see({ text: 'Saved' }), asked: see(asked), yes, gone };
    const run = await uiRun(ui.page, nodes, cut('gone'));
    expect(run.error).toMatch(/^ui.never_seen: test id "panel" that contains "Saved"/);
  });

  test('does not take an element that says something else for one that is gone', async () => {
    const html = `${panel}<script>panel.onclick = () => panel.textContent = 'Deleted'</script>`.replace('panel.remove()', '');
    const gone = see({ ...asked, expected: 'hidden' });
    const run = await uiRun(ui.page, { open: open(html), there: see(asked), yes, gone }, cut('gone'));
    expect(run.error).toMatch(
      /^ui.not_seen: test id "panel" that contains "Delete" and "Yes" is not hidden on .* written as "text"/,
    );
    const left = see({ test_id: 'panel', text: 'Delete it', expected: 'hidden' });
    const text = await uiRun(ui.page, { open: open(html), there: see({ test_id: 'panel', text: 'Delete it' }), yes, left });
    expect(text.error).toBe('');
  });

  test('takes the word of a node that says it never was there', async () => {
    const run = await uiRun(ui.page, {
      open: open('<p>Done</p>'),
      gone: see({ text: 'Error', expected: 'absent', initial: true }),
    });
    expect(run.status).toBe('pass');
    const nodes = { open: open('<p>Error</p>'), gone: see({ text: 'Error', expected: 'absent', initial: true }) };
    const not = await uiRun(ui.page, nodes, cut('gone'));
    expect(not.error).toMatch(/^ui.not_seen: text "Error" is not absent/);
  });

  test('takes no selector that means nothing for something that is gone', async () => {
    for (const initial of [true, false]) {
      const run = await uiRun(ui.page, { open: open('<p>Done</p>'), gone: see({ selector: 'p[', expected: 'hidden', initial }) });
      expect.soft([run.status, run.error]).toEqual(['fail', expect.stringMatching(/^ui.not_seen: p\[ is not hidden.*selector/s)]);
    }
  });

  test('fails when the second of two stays', async () => {
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

  test('finds nothing missing on no page, and on an error page', async () => {
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

test('nobody looks at a page any more for a node that was stopped', async () => {
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

test('a wait that hears of its end just after the deadline still says what was not seen', async () => {
  const clock = clockOf();
  const failed = (method: string): void => void (method === 'waitFor' && clock.advance(1_200));
  const nodes = { open: open('<p>Done</p>'), see: see({ test_id: 'never', timeout_ms: 1_200 }) };
  const run = await uiRun(ui.page, nodes, { clock, failed });
  expect(run.error).toMatch(/^ui.not_seen: test id "never" is not present on .*The node did not finish within 1200 ms/s);
});
