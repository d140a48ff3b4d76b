import { describe, expect, test } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, title, pages } = ui;
const button = (attributes: string, text: string): string =>
  `<button ${attributes} onclick="document.title='pressed'">${text}</button>`;

/** Shortens a press that must fail, so that its node has time left for the error message. */
const cutShort = { node: 'press', ms: 800 };

describe('ui.press', () => {
  test.for([
    ['selector', '#buy', { selector: '#buy' }],
    ['test_id', 'data-testid', { test_id: 'buy' }],
    ['testID', 'data-test-id', { testID: 'buy' }],
    ['target', 'data-test', { target: 'buy' }],
    ['text', 'x', { text: 'Buy now' }],
    ['label', 'x', { label: 'Buy now' }],
    ['role and name', 'x', { role: 'button', name: 'Buy' }],
    ['a text with exact', 'x', { text: 'Buy now', exact: true }],
    ['a test id with special characters', 'data-testid', { test_id: 'buy "now" ]' }, 'buy "now" ]'],
    ['selector and text', 'x', { selector: 'button', text: 'Buy' }],
  ] as const)('ui.press finds its element by %s', async ([, attribute, target, id = 'buy']) => {
    const attributes = attribute === '#buy' ? 'id=buy' : `${attribute}='${id}'`;
    const run = await uiRun(ui.page, {
      open: open(button(attributes, 'Buy now') + button('', 'Other')),
      press: { action: 'ui.press', ...target },
    });
    expect(run.error).toBe('');
    expect(await title()).toBe('pressed');
    expect(run.ends.get('press')?.output).toMatchObject({ clicked: true });
  });

  test('ui.press presses a point of the viewport, or of an element', async () => {
    const html = `<script>onclick = (event) => (document.title = event.clientX + ',' + event.clientY)</script><body style="margin:0"><div id=a style="margin:50px;width:90px;height:90px">x`;
    await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', x: 7, y: 11 } });
    expect(await title()).toBe('7,11');
    await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', selector: '#a', x: 7, y: 11 } });
    expect(await title()).toBe('57,61');
  });

  test('ui.press refuses a point outside the viewport', async () => {
    const run = await uiRun(ui.page, { open: open('x'), press: { action: 'ui.press', x: 7, y: 10_000 } });
    expect(run.error).toMatch(/^ui.outside_view: .*7, 10000.*Scroll/s);
  });

  test('ui.press ignores a hidden match and presses the visible one', async () => {
    const html = button('style="display:none"', 'Buy') + button('', 'Buy');
    const run = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', text: 'Buy' } });
    expect([run.status, await title()]).toEqual(['pass', 'pressed']);
  });

  test('ui.press fails when both matches are hidden', async () => {
    const hidden = button('style="display:none"', 'Buy');
    const nodes = { open: open(hidden + hidden), press: { action: 'ui.press', text: 'Buy' } };
    const run = await uiRun(ui.page, nodes, { cutShort: { node: 'press', ms: 800, skip: 1 } });
    expect(run.error).toMatch(/ui.not_found: text "Buy" matches several elements, but none is visible on http/);
  });

  test('ui.press fails when two matches are visible, and lists both', async () => {
    const html = button('data-testid=a', 'Buy') + button('data-testid=b', 'Buy');
    const run = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', text: 'Buy' } });
    expect(run).toMatchObject({ status: 'fail', cause: 'subject' });
    expect(run.error).toMatch(/^ui.ambiguous: text "Buy" is ambiguous: 2 visible elements/);
    for (const part of ["getByTestId('a')", "getByTestId('b')", 'Select one of them', 'On the page:', '- button "Buy"'])
      expect(run.error).toContain(part);
    expect(run.error).not.toContain('Did you mean');
    expect(await title()).not.toBe('pressed');
  });

  test('ui.press describes the page and suggests a similar target when its target is missing', async () => {
    const html = `<h1>Cart</h1>${button('data-testid=submit-order', 'Place order')}<ul>${'<li>item</li>'.repeat(60)}</ul>`;
    const byId = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', test_id: 'submit-odrer' } }, { cutShort });
    expect(byId.error).toMatch(/^ui.not_found: test id "submit-odrer" is not on http/);
    expect(byId.error).toContain('Did you mean "test_id": "submit-order"?');
    expect(byId.error).toContain('- heading "Cart" [level=1]');
    expect(byId.error.split('\n').filter((line) => line.trim().startsWith('-')).length).toBeLessThan(25);
    const byText = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', text: 'Place ordre' } }, { cutShort });
    expect(byText.error).toContain('Did you mean "role": "button", "name": "Place order"?');
  });

  test.for([
    ['another role', { role: 'link', name: 'Fetch' }, '"role": "button", "name": "Fetch"'],
    ['an invisible name', { label: 'Close panel' }, '"role": "button", "name": "Close panel"'],
    ['a checkbox', { role: 'button', name: 'Agree' }, '"role": "checkbox", "name": "Agree"'],
  ] as const)('ui.press suggests the right role for an element with the same name: %s', async ([, target, suggestion]) => {
    const html = `<p>Fetch it</p>${button('', 'Fetch')}${button('aria-label="Close panel"', '×')}<label>Agree<input type=checkbox></label>`;
    const run = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', ...target } }, { cutShort });
    expect(run.error).toMatch(/^ui.not_found/);
    expect(run.error).toContain(`Did you mean ${suggestion}`);
  });

  test('ui.press says why an element cannot be pressed', async () => {
    const nodes = { open: open(button('disabled', 'Buy')), press: { action: 'ui.press', text: 'Buy' } };
    // Playwright knows the reason only after its first check.
    const run = await uiRun(ui.page, nodes, { cutShort: { node: 'press', ms: 4_000 } });
    expect(run.error).toMatch(/^ui.refused: .*not enabled/s);
  });

  test('ui.press waits in a single call until the element is enabled', async () => {
    const html = `${button('disabled id=b', 'Buy')}<script>setTimeout(() => b.disabled = false, 400)</script>`;
    const run = await uiRun(ui.page, { open: open(html), press: { action: 'ui.press', text: 'Buy' } });
    expect([run.status, await title()]).toEqual(['pass', 'pressed']);
    expect(run.calls.map((call) => call.split(' ')[0])).toEqual(['goto', 'click']);
  });
});

test('after a popup has closed itself, nodes use the page that opened it', async () => {
  const page = await freshPage(ui.browser);
  const popup = '<button data-testid=done onclick="window.close()">Done</button>';
  const opener = `<button data-testid=go onclick="window.open('${pages.url(popup).replaceAll("'", '%27')}')">go</button>`;
  const run = await uiRun(page, { open: open(opener), press: { action: 'ui.press', test_id: 'go' } });
  expect(run.error).toBe('');
  await expect.poll(() => page.context().pages().length).toBe(2);
  const second = page.context().pages()[1];
  if (second) runPagesOf(page).switchTo(second);
  const done = await uiRun(page, {
    press: { action: 'ui.press', test_id: 'done' },
    see: { action: 'ui.wait_for', test_id: 'go' },
  });
  expect(done.error).toBe('');
  expect(runPagesOf(page).page).toBe(page);
  await page.context().close();
});

describe('ui.key_press', () => {
  test('ui.key_press presses a key on the focused element, or on its target', async () => {
    const html =
      '<input id=first onkeydown="document.title+=event.key"><input aria-label=Search onkeydown="document.title+=2+event.key"><script>first.focus()</script>';
    const run = await uiRun(ui.page, {
      open: open(html),
      tab: { action: 'ui.key_press', key: 'Escape' },
      enter: { action: 'ui.key_press', key: 'Enter', label: 'Search' },
    });
    expect([run.error, await title()]).toEqual(['', 'Escape2Enter']);
    expect(run.ends.get('enter')?.output).toEqual({ key: 'Enter', target: 'label "Search"' });
  });

  test('ui.key_press refuses an unknown key', async () => {
    const run = await uiRun(ui.page, { open: open('x'), key: { action: 'ui.key_press', key: 'Retrun' } });
    expect(run.error).toMatch(/^ui.unknown_key: There is no key "Retrun"/);
  });
});

describe('ui.navigate', () => {
  test('ui.navigate fails for a path without a base URL, and says how to set one', async () => {
    expect((await uiRun(ui.page, { open: { action: 'ui.navigate', url: '/cart' } })).error).toMatch(
      /^ui.no_base_url: "\/cart".*baseURL/,
    );
  });

  test('ui.navigate opens a path below the base URL', async () => {
    const based = await freshPage(ui.browser, { baseURL: pages.url('') });
    const run = await uiRun(based, { open: { action: 'ui.navigate', target: '/?html=hello' } });
    expect(run.ends.get('open')?.output).toMatchObject({ status: 200, url: expect.stringContaining('html=hello') });
    await based.context().close();
  });
});
