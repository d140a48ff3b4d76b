// Beacons of pages, popups and workers are captured and answered. They reach their vendor only when the project allows it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { FlowOptions } from './flowSpecRun.js';
import type { Page } from './flowSpecSite.js';

const gzipped = JSON.stringify([...gzipSync(JSON.stringify({ event: 'zipped', properties: { token: 'phc' } }))]);
const json = (url: string, body: string): string =>
  `fetch('${url}', { method: 'POST', headers: { 'content-type': 'application/json', 'x-own': '1' }, body: '${body}' })`;

const pages: Record<string, Page> = {
  '/': {
    html: `<p id="log"></p><script>
      new Image().src = 'https://www.facebook.com/tr/?id=7&ev=Lead';
      ${json('https://api.segment.io/v1/batch', '{"writeKey":"w","batch":[{"event":"A"},{"event":"B"}]}')}.then((answer) => { log.textContent = 'answered ' + answer.status });
      fetch('https://us.i.posthog.com/e/?compression=gzip-js', { method: 'POST', mode: 'no-cors', body: new Uint8Array(${gzipped}) });
      new Worker('/worker.js');
      window.open('/popup');
    </script>`,
  },
  '/popup': { html: `<script>navigator.sendBeacon('https://plausible.io/api/event', '{"n":"popped","d":"site.test"}')</script>` },
  '/worker.js': { script: `fetch('https://www.google-analytics.com/g/collect?tid=G-1&en=worked', { mode: 'no-cors' })` },
  '/framed': {
    html: `<iframe srcdoc="<script>navigator.sendBeacon('https://plausible.io/api/event', '{&quot;n&quot;:&quot;inner&quot;}')</script>"></iframe>
      <iframe id="other"></iframe><script>other.src = location.href.replace('site.test', 'sub.site.test').replace('framed', 'sub')</script>`,
  },
  '/sub': {
    html: `<script>new Image().src = 'https://www.facebook.com/tr/?id=7&ev=FromSub'; new SharedWorker('/shared.js')</script>`,
  },
  '/shared.js': { script: `fetch('https://www.google-analytics.com/g/collect?tid=G-1&en=shared', { mode: 'no-cors' })` },
  '/as-documents': {
    html: `<iframe src="https://www.google-analytics.com/g/collect?tid=G-1&en=framed"></iframe><iframe name="sink"></iframe>
      <form id="f" method="post" target="sink" action="https://www.facebook.com/tr/"><input name="ev" value="Posted"></form><script>f.submit()</script>
      <iframe src="/metrics?what=own"></iframe>`,
  },
  '/shop': {
    html: `<script>const send = (name) => navigator.sendBeacon('https://plausible.io/api/event', JSON.stringify({ n: name }));
      send('came'); onpagehide = () => send('left')</script>
      <button id="move" onclick="history.pushState(0, '', '/shop/item?id=1')">Move</button><button id="send" onclick="send('moved')">Send</button>`,
  },
  '/metrics': { html: '<h1>Numbers</h1>' },
  '/own': { html: `<script>fetch('/metrics?what=bought&shop=9')</script>` },
};
const lab = await flowLab(pages);
const { site } = lab;
const run = (steps: readonly Record<string, unknown>[], options: Partial<FlowOptions> = {}, rest: object = {}) =>
  lab.run(steps, { ...rest }, options);

describe('beacons', () => {
  test('beacons name the page that sent them, also after a URL change and while the page is left', async () => {
    const goto = (path: string) => ({ type: 'goto', url: `${site.origin}${path}` });
    const sent = (event: string) => ({ type: 'expect', kind: 'beacon', vendor: 'plausible', event });
    const click = (selector: string) => ({ type: 'act', action: 'click', selector });
    const moved = [click('#move'), click('#send'), sent('moved')];
    const { error, beacons } = await run([goto('/shop?a=1'), sent('came'), ...moved, goto('/metrics'), sent('left')]);
    expect(error).toBe('');
    const senders = beacons.map(({ event_name, page_url }) => `${event_name} ${page_url.replace(site.origin, '')}`);
    // The browser may announce the next page before it announces what the last one sent as it was left (docs/flow-spec.md).
    const whileLeft = expect.stringMatching(/^left (\/shop\/item\?id=1|\/metrics)$/);
    expect(senders).toEqual(['came /shop?a=1', 'moved /shop/item?id=1', whileLeft]);
  });

  test('beacons of pages, popups and workers are captured: pixels, batches, gzipped bodies and blobs', async () => {
    const sent = ['meta Lead', 'segment B', 'posthog zipped', 'plausible popped', 'ga4 WORKED'];
    const steps = [
      { type: 'expect', kind: 'text_contains', value: 'answered 204', selector: '#log' },
      ...sent.map((each) => ({ type: 'expect', kind: 'beacon', vendor: each.split(' ')[0], event: each.split(' ')[1] })),
    ];
    const { error, beacons, report } = await run(steps, {}, { assertions: [{ kind: 'no_console_errors' }] });
    expect(error).toBe('');
    expect(report).toMatchObject({ findings: [], blocked: [] });
    const all = beacons.map(({ vendor, event_name, account_id }) => `${vendor} ${event_name} ${account_id}`).sort();
    expect(all).toEqual([
      'ga4 worked G-1',
      'meta Lead 7',
      'plausible popped site.test',
      'posthog zipped phc',
      'segment A w',
      'segment B w',
    ]);
  });

  test('beacons of frames, of frames of other hosts, and of shared workers are captured', async () => {
    const steps = [
      { type: 'goto', url: `${site.origin}/framed` },
      { type: 'expect', kind: 'beacon', vendor: 'plausible', event: 'inner' },
      { type: 'expect', kind: 'beacon', vendor: 'meta', event: 'FromSub' },
      { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'shared' },
    ];
    const { error, report } = await run(steps, { allowPrivateHosts: ['site.test', 'sub.site.test'] });
    expect([error, report.blocked]).toEqual(['', []]);
  });

  test('beacons that are sent as frame documents are captured, and answered instead of blocked', async () => {
    const own = { vendor: 'shop', match: ['/metrics\\?'], event: ['what'] };
    const steps = [
      { type: 'goto', url: `${site.origin}/as-documents` },
      { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'framed' },
      { type: 'expect', kind: 'beacon', vendor: 'meta', event: 'Posted' },
      { type: 'expect', kind: 'beacon', vendor: 'shop', event: 'own' },
    ];
    const answered = await run(steps, { vendors: [own] });
    expect([answered.error, answered.report.blocked]).toEqual(['', []]);
    const sent = await run(steps.slice(0, 3), { beacons: 'send' });
    // A frame of another host is blocked even when beacons are sent, and reported as a frame.
    expect([sent.error, sent.report.blocked.map(({ what, url }) => `${what} ${new URL(url).host}`).sort()]).toEqual([
      '',
      ['frame www.facebook.com', 'frame www.google-analytics.com'],
    ]);
  });

  test('a page that the flow itself opens is not a beacon', async () => {
    const own = { vendor: 'shop', match: ['/metrics\\?'], event: ['what'] };
    const steps = [
      { type: 'goto', url: `${site.origin}/metrics?what=page` },
      { type: 'expect', kind: 'text_contains', value: 'Numbers' },
    ];
    const { error, beacons } = await run(steps, { vendors: [own] });
    expect([error, beacons]).toEqual(['', []]);
  });

  test('a critical assertion on a missing beacon fails and lists the captured beacons', async () => {
    const assertions = [{ kind: 'beacon_fires', vendor: 'meta', event: 'Purchase', severity: 'critical' }];
    const steps = [{ type: 'expect', kind: 'beacon', vendor: 'meta' }];
    const { status, error, report } = await run(steps, {}, { assertions });
    expect([status, report.run.status]).toEqual(['fail', 'completed']);
    expect(error).toContain('critical (assertion-1): No beacon "Purchase" of meta was captured during the flow. Captured: ');
    expect(error).toContain('meta Lead');
  });

  test('beacons of a vendor from the config are read with its patterns', async () => {
    const own = { vendor: 'shop', match: ['/metrics\\?'], event: ['what'], account: ['shop'] };
    const steps = [
      { type: 'goto', url: `${site.origin}/own` },
      { type: 'expect', kind: 'beacon', vendor: 'shop', event: 'bought' },
    ];
    const { error, beacons } = await run(steps, { vendors: [own] });
    expect([error, beacons.map(({ account_id }) => account_id)]).toEqual(['', ['9']]);
  });

  test('beacons reach their vendor only with "beacons": "send"', async () => {
    const hits: string[] = [];
    const vendor = createServer((request, response) => {
      hits.push(request.url ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
    const { port } = vendor.address() as AddressInfo;
    pages['/sends'] = {
      html: `<script>fetch('http://measure.test:${port}/g/collect?en=x&tid=G-1', { mode: 'no-cors' })</script>`,
    };
    const steps = [
      { type: 'goto', url: `${site.origin}/sends` },
      { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'x' },
      { type: 'wait', ms: 200 },
    ];
    const allowPrivateHosts = ['site.test', 'measure.test'];
    const answered = await run(steps, { allowPrivateHosts });
    expect([answered.error, hits]).toEqual(['', []]);
    const sent = await run(steps, { allowPrivateHosts, beacons: 'send' });
    expect([sent.error, hits]).toEqual(['', ['/g/collect?en=x&tid=G-1']]);
    vendor.close();
  });
});
