// docs/actions.md lists the output fields of actions. These tests check that the list and the real outputs are the same.
import { readFileSync } from 'node:fs';
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry/registry.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { servePages } from '../support/pages.js';
import { uiRun } from '../support/uiRun.js';

type Node = { action: string; [field: string]: unknown };

const docs = readFileSync(new URL('../../docs/actions.md', import.meta.url), 'utf8');
const rows = [...docs.matchAll(/^\| `((?:ui|app|cdp)\.\w+)` \| ([^|]*) \|/gm)];
const documented = new Map(
  rows.map(([, action = '', fields = '']) => [action, [...fields.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort()]),
);

const site = await servePages();
const popup = site.url('<title>Popup</title><button onmousedown="window.close()">Shut</button>');
const home = site.url(`<title>Lab</title><h1>Lab</h1>
  <button data-testid=asks onclick="confirm('Sure?')">Ask</button>
  <input data-testid=name onchange="alert('typed')" oninput="alert('typed')">
  <div data-testid=held style="width:80px;height:40px;background:red" onpointerup="setTimeout(() => alert('held'))">Hold</div>
  <button onclick="window.open('${popup}')">Open</button>
  <div data-testid=list style="height:50px;overflow:auto"><p style="height:900px">Long</p><b data-testid=end>End</b></div>
  <script>
    setInterval(() => dispatchEvent(new CustomEvent('beat', { detail: 1 })), 50);
    performance.mark('lab');
    document.cookie = 'theme=dark';
    localStorage.cart = '{"mug":2}';
    localStorage.long = 'x'.repeat(30000);
  </script>`);
const asking = site.url('<button>Touch</button><script>onbeforeunload = (event) => event.preventDefault()</script>');

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(async () => {
  await closeContexts(browser);
  site.close();
});

const open = { action: 'ui.navigate', url: home };
const storage = (fields: object): Node => ({ action: 'cdp.storage', ...fields });
const network = (mode: string, fields: object = {}): Node => ({ action: 'cdp.network', mode, ...fields });
const lifecycle = (command: string): Node => ({ action: 'app.lifecycle', command });
const status = { action: 'app.status' };

const runs: Record<string, Node[]> = {
  ui: [
    open,
    { action: 'ui.press', test_id: 'asks', dialog: 'accept' },
    { action: 'ui.press', x: 2, y: 2 },
    { action: 'ui.key_press', test_id: 'asks', key: 'Enter' },
    { action: 'ui.set_input', test_id: 'name', value: 'Ada' },
    { action: 'ui.gesture', kind: 'long_press', test_id: 'held' },
    { action: 'ui.scroll', test_id: 'list', delta_y: 100 },
    { action: 'ui.scroll', test_id: 'end', scroll_into_view: true },
    { action: 'ui.wait_for', event: 'beat' },
    { action: 'ui.screenshot' },
    { action: 'ui.press', text: 'Open' },
    { action: 'cdp.target', role: 'popup' },
    { action: 'ui.press', text: 'Shut' },
    { action: 'cdp.target', role: 'page' },
    { action: 'ui.navigate', url: asking },
    { action: 'ui.press', text: 'Touch' },
    { action: 'ui.navigate', url: home, dialog: 'accept' },
  ],
  app: [
    open,
    ...[status, lifecycle('reload'), lifecycle('background'), lifecycle('foreground'), lifecycle('launch')],
    ...[{ action: 'app.hud', text: 'Look' }, { action: 'app.trace' }, lifecycle('terminate'), status, lifecycle('launch')],
  ],
  cdp: [
    open,
    ...['cart', 'long', 'none'].map((key) => storage({ key })),
    ...[storage({}), storage({ area: 'cookies' }), storage({ area: 'cookies', key: 'theme' })],
    ...[storage({ mode: 'set', key: 'a', value: 1 }), storage({ mode: 'remove', key: 'a' }), storage({ mode: 'clear' })],
    ...[network('observe'), open, network('stop'), network('block', { url: 'x' })],
    network('throttle', { latency_ms: 1, download_kbps: 9_000, upload_kbps: 9_000 }),
    ...[network('offline'), network('restore')],
    {
      ...{ action: 'cdp.emulation', viewport: { width: 400, height: 300 }, color_scheme: 'dark', reduced_motion: 'reduce' },
      ...{ locale: 'de-DE', timezone: 'Asia/Tokyo', offline: false, geolocation: { latitude: 1, longitude: 1 } },
      ...{ user_agent: 'lab', cpu: 2 },
    },
    { action: 'cdp.emulation', mode: 'restore' },
    { action: 'cdp.target', role: 'page' },
    { action: 'cdp.metrics', names: ['Nodes'] },
    ...[{ action: 'cdp.trace', mode: 'start' }, open, { action: 'cdp.trace', mode: 'stop' }],
  ],
};

/** Fields that a run may or may not have: a press that closes its page can end before or after the page is gone. */
const optionalFields = new Set(['closed_page']);

/** Runs the nodes and returns the output fields of each action. */
async function collectOutputFields(nodes: readonly Node[]): Promise<Map<string, Set<string>>> {
  const page = await freshPage(browser);
  const ran = await uiRun(page, Object.fromEntries(nodes.map((node, at) => [`n${at}`, node])));
  await page.context().close();
  expect([ran.error, ran.ends.get(`n${nodes.length - 1}`)?.ok]).toEqual(['', true]);
  const fields = new Map<string, Set<string>>();
  for (const [at, { action }] of nodes.entries()) {
    const names = fields.get(action) ?? new Set();
    fields.set(action, names);
    for (const name of Object.keys((ran.ends.get(`n${at}`)?.output ?? {}) as object)) names.add(name);
  }
  return fields;
}

test.for(Object.keys(runs))('the output fields of %s actions are those in docs/actions.md', async (area) => {
  const ofArea = (names: Iterable<string>) => [...names].filter((name) => name.startsWith(`${area}.`)).sort();
  const outputFields = await collectOutputFields(runs[area] ?? []);
  const known = ofArea(createRegistry().keys());
  expect([ofArea(outputFields.keys()), ofArea(documented.keys())]).toEqual([known, known]);
  for (const action of known) {
    const actual = outputFields.get(action) ?? new Set();
    const expected = documented.get(action)?.filter((name) => actual.has(name) || !optionalFields.has(name));
    expect.soft({ action, fields: [...actual].sort() }).toEqual({ action, fields: expected });
  }
});
