// Dialogs do not block a run (F48), and a screenshot of the wrong page is no proof (F50).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { afterAll, describe, expect, test } from 'vitest';
import { runPagesOf } from '../../src/browser/runPages.js';
import { freshPage } from '../support/chromium.js';
import { servePages } from '../support/pages.js';
import type { Node, Nodes } from '../support/recipe.js';
import { uiPage } from '../support/uiPage.js';
import { uiRun } from '../support/uiRun.js';

const ui = await uiPage();
const { open, title } = ui;
const other = await servePages();
const failing = createServer((request, response) => {
  response
    .writeHead(Number(request.url?.slice(1)) || 200, { 'content-type': 'text/html' })
    .end(`<h1>Sorry</h1><p>${request.url}</p>`);
});
await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
failing.unref();
const failingUrl = (status: number): string => `http://127.0.0.1:${(failing.address() as AddressInfo).port}/${status}`;
afterAll(() => {
  other.close();
  failing.close();
});

describe('F48: dialogs', () => {
  const press = { action: 'ui.press', test_id: 'ask' };
  const asks = (code: string): string =>
    `<title>-</title><button data-testid=ask onclick='document.title = String(${code})'>Ask</button>`;
  const leaving =
    '<script>onbeforeunload = (event) => { event.preventDefault(); return "stay?" }</script><button data-testid=ask>x</button>';

  test.for([
    ['alert', asks('alert("hello")'), 'undefined', 'dismissed'],
    ['confirm', asks('confirm("hello")'), 'false', 'dismissed'],
    ['prompt', asks('prompt("hello")'), 'null', 'dismissed'],
  ] as const)('F48: a dialog of the type %s is dismissed and recorded', async ([type, html, domAnswer, answer]) => {
    const run = await uiRun(ui.page, { open: open(html), press });
    expect([run.error, await title()]).toEqual(['', domAnswer]);
    expect(run.ends.get('press')?.output).toMatchObject({ dialogs: [{ type, message: 'hello', answer }] });
    expect(runPagesOf(ui.page).takeMessages()).toContainEqual({
      level: 'info',
      source: 'dialog',
      message: `${type} ${answer}: hello`,
    });
  });

  test('F48: a beforeunload dialog is accepted and recorded', async () => {
    const run = await uiRun(ui.page, { open: open(leaving), press, leave: open('<p>next</p>') });
    expect([run.error, await ui.page.textContent('p')]).toEqual(['', 'next']);
    expect(run.ends.get('leave')?.output).toMatchObject({ dialogs: [{ type: 'beforeunload', answer: 'accepted' }] });
  });

  test('F48: a dialog in a frame is dismissed and recorded', async () => {
    const html = `<iframe srcdoc='<script>onmessage = () => { parent.document.title = String(confirm("in here?")) }</script>'></iframe><button data-testid=ask onclick="frames[0].postMessage(1, '*')">Ask</button>`;
    const run = await uiRun(ui.page, { open: open(html), press, see: { action: 'ui.wait_for', test_id: 'ask' } });
    expect(run.error).toBe('');
    await expect.poll(title).toBe('false');
    expect(runPagesOf(ui.page).dialogs).toMatchObject([{ type: 'confirm', message: 'in here?' }]);
  });

  test.for([
    ['accept', asks('confirm("sure?")'), 'true'],
    ['dismiss', asks('confirm("sure?")'), 'false'],
    [{ accept: true, text: 'Ada' }, asks('prompt("name?")'), 'Ada'],
  ] as const)('F48: a node answers a dialog with its field "dialog": %j', async ([dialog, html, answer]) => {
    await uiRun(ui.page, { open: open(html), press: { ...press, dialog } });
    expect(await title()).toBe(answer);
  });

  test('F48: the answer of one node does not apply to the next node', async () => {
    await uiRun(ui.page, { open: open(asks('confirm("sure?")')), yes: { ...press, dialog: 'accept' }, no: press });
    expect(runPagesOf(ui.page).dialogs.map(({ answer }) => answer)).toEqual(['accepted', 'dismissed']);
  });

  test('F48: dismissing a beforeunload dialog keeps the page open', async () => {
    const stay = { ...open('<p>next</p>'), dialog: 'dismiss', timeout_ms: 2_000 };
    const run = await uiRun(ui.page, { open: open(leaving), press, stay });
    expect(run.status).toBe('fail');
    expect(await ui.page.locator('button').count()).toBe(1);
    await uiRun(ui.page, { open: open('x') });
  });
});

describe('F50: screenshots of the wrong page', () => {
  const shot = { action: 'ui.screenshot' };
  const unreached = (url: string): Node => ({ action: 'ui.navigate', url, rw: { on_fail: 'continue' } });
  const closed = 'http://127.0.0.1:9999/';
  const press = { action: 'ui.press', test_id: 'go' };
  const goes = (code: string): string => `<button data-testid=go onclick="${code}">go</button>`;
  // The next node begins when the popup is open.
  const popup = { action: 'wait', duration_ms: 1 };
  const waitForPopup = (page: Page): Promise<Page> => page.waitForEvent('popup', { timeout: 0 });

  test.for<[string, Nodes, RegExp]>([
    ['about:blank', { shot }, /^ui.no_page: .*about:blank/],
    ['a refused connection', { before: open('<p>before</p>'), open: unreached(closed), shot }, /^ui.no_page: .*chrome-error/],
    [
      'an unknown host',
      { before: open('<p>before</p>'), open: unreached('http://nobody.invalid/'), shot },
      /^ui.no_page: .*chrome-error/,
    ],
    ['HTTP 404', { open: unreached(failingUrl(404)), shot }, /^ui.no_page: .*HTTP 404/],
    [
      'HTTP 500 after a press',
      { open: open(goes(`location.href='${failingUrl(500)}'`)), press, see: { action: 'ui.wait_for', text: 'Sorry' }, shot },
      /^ui.no_page: .*HTTP 500/,
    ],
    [
      'a page under a popup',
      {
        open: open(goes(`window.open('${other.url('<p>ad</p>')}', '', 'width=300,height=300')`)),
        press,
        popup,
        shot,
      },
      /^ui.not_in_front: .*behind another page/,
    ],
    [
      'a page under a new tab',
      {
        open: open(`<a data-testid=go target=_blank href='${other.url('<p>tab</p>')}'>go</a>`),
        press,
        popup,
        shot,
      },
      /^ui.not_in_front/,
    ],
    [
      'another host',
      {
        open: open(goes(`location.href='${other.url('<p>elsewhere</p>')}'`)),
        press,
        see: { action: 'ui.wait_for', text: 'elsewhere' },
        shot,
      },
      /^ui.wrong_host: .*set "url"/,
    ],
  ])('F50: ui.screenshot fails for %s', async ([, nodes, error]) => {
    const page = await freshPage(ui.browser);
    const popupOpened = waitForPopup(page).catch(() => undefined);
    const run = await uiRun(page, nodes, { began: (id) => (id === 'popup' ? popupOpened : undefined) });
    expect(run.error).toMatch(error);
    expect(run).toMatchObject({ status: 'fail', pictures: [] });
    await page.context().close();
  });

  test('F50: a screenshot of another host or after a closed popup is proof when the recipe expects the page', async () => {
    const page = await freshPage(ui.browser);
    const url = other.url('<p>elsewhere</p>');
    const otherHost = await uiRun(page, { open: open(goes(`location.href='${url}'`)), press, shot: { ...shot, url } });
    expect([otherHost.error, otherHost.pictures.length]).toEqual(['', 1]);
    const popupOpened = waitForPopup(page);
    const closePopup = async (): Promise<void> => {
      const popupPage = await popupOpened;
      const closed = popupPage.waitForEvent('close', { timeout: 0 });
      await page.evaluate('window.win.close()');
      await closed;
    };
    const nodes = { open: open(goes(`window.win = window.open('about:blank')`)), press, popup, shot };
    const afterPopup = await uiRun(page, nodes, { began: (id) => (id === 'popup' ? closePopup() : undefined) });
    expect([afterPopup.error, afterPopup.pictures.length]).toEqual(['', 1]);
    await page.context().close();
  });
});
