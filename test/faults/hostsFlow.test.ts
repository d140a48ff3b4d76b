// F22: a hostile page does not get out of the hosts of its flow, whatever way it tries. A canary counts what reaches it.
import type { Browser } from '@playwright/test';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FlowSettings } from '../../src/actions/flowSpec/settings.js';
import { runFlow } from '../browser/flowSpecRun.js';
import { serveSite } from '../browser/flowSpecSite.js';
import { startChromium } from '../support/chromium.js';
import { spec } from '../unit/flowSpec/spec.js';

const site = await serveSite(async ({ pathname, searchParams }) => {
  const { evil } = site;
  if (pathname === '/302') return { location: `${evil}/302` };
  if (pathname === '/chain') return { location: '/302' };
  if (pathname === '/worker.js')
    return {
      script: `try { new WebSocket('${evil.replace('http', 'ws')}/worker') } catch {} fetch('${evil}/worker', { mode: 'no-cors' }).catch(() => 0)`,
    };
  if (pathname === '/sw.js') return { script: serviceWorker(evil) };
  return { html: `<title>start</title><body>here ${searchParams.get('html') ?? ''}</body>` };
});

const serviceWorker = (evil: string): string => `
  self.addEventListener('install', () => self.skipWaiting());
  self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  self.addEventListener('fetch', (event) => {
    if (event.request.url.includes('/away')) event.respondWith(Response.redirect('${evil}/redirected'));
    if (event.request.url.includes('/by-worker')) event.respondWith(fetch('${evil}/fetched', { mode: 'no-cors' }));
  });`;

let browser: Browser;
beforeAll(async () => {
  // Service workers need a trustworthy origin.
  browser = await startChromium([`--unsafely-treat-insecure-origin-as-secure=${site.origin}`]);
});
afterAll(async () => {
  await browser.close();
  site.close();
});
afterEach(() => void site.hits.splice(0));

const { evil } = site;
const socket = evil.replace('http', 'ws');
const navigations = {
  link: `<a id="a" href="${evil}/link">x</a><script>setTimeout(() => a.click(), 50)</script>`,
  form: `<form id="f" method="post" action="${evil}/form"><input name="q" value="1"></form><script>setTimeout(() => f.submit(), 50)</script>`,
  'meta refresh': `<meta http-equiv="refresh" content="0;url=${evil}/meta">`,
  '302': `<script>setTimeout(() => { location = '/302' }, 50)</script>`,
  'a chain of 302': `<script>setTimeout(() => { location = '/chain' }, 50)</script>`,
  'window.open': `<script>window.open('${evil}/popup')</script>`,
  'window.open of a 302': `<script>window.open('/chain')</script>`,
  'JS location': `<script>setTimeout(() => location.replace('${evil}/js'), 50)</script>`,
  'a service worker': `<script>navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(() => { location = "/away" }, 100))</script>`,
};
const quieter = {
  iframe: `<iframe src="${evil}/frame"></iframe>`,
  'an iframe of a 302': '<iframe src="/chain"></iframe>',
  'a nested iframe': `<iframe srcdoc="<iframe src='${evil}/inner'></iframe>"></iframe>`,
  WebSocket: `<script>new WebSocket('${socket}/socket')</script>`,
  'a WebSocket of a frame': `<iframe srcdoc="<script>new WebSocket('${socket}/framed')</script>"></iframe>`,
  'a WebSocket of a worker': `<script>new Worker('/worker.js')</script>`,
};

const at = (html: string): string => `${site.origin}/?html=${encodeURIComponent(html)}`;

type Visiting = FlowSettings & { allowed?: readonly string[]; waitMs?: number };

/** Opens each page, and gives it time to get away. */
const visit = (htmls: readonly string[], { allowed = [], waitMs = 350, ...settings }: Visiting = {}) => {
  const steps = htmls.flatMap((html) => [
    { type: 'goto', url: at(html), optional: true },
    { type: 'wait', ms: waitMs, optional: true },
  ]);
  const rest = { url: site.origin, allowed_hosts: allowed, assertions: [{ kind: 'no_console_errors' }] };
  return runFlow(spec(steps, rest), { browser, allowPrivateHosts: ['site.test'], lookup: site.lookup, ...settings });
};

describe('F22 a hostile page', { timeout: 60_000 }, () => {
  test('does not get out by any navigation: each fails its step, and the canary sees nobody', async () => {
    const { report } = await visit(Object.values(navigations));
    expect(site.hits).toEqual([]);
    const blamed = Object.keys(navigations).filter((_, index) => {
      const both = report.steps.slice(index * 2, index * 2 + 2);
      return both.some(({ message = '' }) => message.startsWith(`A navigation to ${evil}`));
    });
    expect(blamed).toEqual(Object.keys(navigations));
    expect(new Set(report.findings.map(({ failure_class }) => failure_class))).toEqual(new Set(['spec_step_unresolvable']));
    expect(report.assertions).toEqual([expect.objectContaining({ status: 'passed' })]);
  });

  test('does not get out by frames and sockets: they are on record, and no errors of the page', async () => {
    const { report } = await visit(Object.values(quieter));
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url, what }) => `${what} ${new URL(url).pathname}`)).toEqual(
      expect.arrayContaining([
        'frame /frame',
        'frame /302',
        'frame /inner',
        'socket /socket',
        'socket /framed',
        'socket /worker',
      ]),
    );
    expect(report.findings.map(({ status, severity }) => `${status} ${severity}`)).toEqual(
      Array(report.findings.length).fill('advisory info'),
    );
    expect(report.assertions).toEqual([expect.objectContaining({ status: 'passed' })]);
    expect(report.steps.every(({ status }) => status === 'passed')).toBe(true);
  });

  test('gets to the canary in every one of these ways when its flow admits it, so that the canary would have told', async () => {
    const open = { allowed: ['evil.test'], allowPrivateHosts: ['site.test', 'evil.test'] };
    await visit(Object.values(navigations), open);
    await visit(Object.values(quieter), open);
    const paths = [
      '/link',
      '/form',
      '/meta',
      '/302',
      '/popup',
      '/js',
      '/redirected',
      '/frame',
      '/inner',
      '/socket',
      '/framed',
      '/worker',
    ];
    const seen = new Set(site.hits.map((hit) => hit.split(' ')[1]));
    expect(paths.filter((path) => !seen.has(path))).toEqual([]);
  });

  test('reaches another public host with a request only when subresources may be loaded', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0)</script><img src="${evil}/image">`;
    const anywhere = { allowPrivateHosts: ['site.test', 'evil.test'] };
    const { report } = await visit([html], { ...anywhere, subresources: 'admitted-only' });
    expect([site.hits, report.assertions[0]?.status]).toEqual([[], 'passed']);
    await visit([html], anywhere);
    expect(site.hits.filter((hit) => hit !== 'connection').sort()).toEqual(['GET /fetch', 'GET /image']);
  });

  test('and its service worker reach no private host by fetch', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0);
      navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(() => fetch('/by-worker').catch(() => 0), 200))</script>`;
    const { report } = await visit([html], { waitMs: 900 });
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url }) => new URL(url).pathname)).toEqual(expect.arrayContaining(['/fetch', '/fetched']));
  });

  test('does not get away later, while another step runs', async () => {
    const late = `<script>setTimeout(() => location.replace('${evil}/late'), 400)</script>`;
    const between = [
      { type: 'goto', url: at(late) },
      { type: 'wait', ms: 700 },
    ];
    const settings = { browser, allowPrivateHosts: ['site.test'], lookup: site.lookup };
    const { report } = await runFlow(spec(between, { url: site.origin }), settings);
    expect(report.run).toMatchObject({ status: 'failed', step: 'step-2', failure_class: 'spec_step_unresolvable' });
    expect(site.hits).toEqual([]);
  });

  test('cannot widen the hosts by a variable that it fills', async () => {
    const steps = [
      { type: 'goto', url: `${site.origin}/?html=${encodeURIComponent(`<p id="x">evil.test:${new URL(evil).port}</p>`)}` },
      { type: 'extract', selector: '#x', into: 'where' },
      { type: 'goto', url: 'http://{{where}}/' },
    ];
    const { error } = await runFlow(spec(steps, { url: site.origin }), { browser, allowPrivateHosts: true, lookup: site.lookup });
    expect(error).toContain('evil.test is not among the hosts this flow may go to');
    expect(site.hits).toEqual([]);
  });
});
