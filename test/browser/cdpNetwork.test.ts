import { describe, expect, test } from 'vitest';
import { truncateTrace } from '../../src/browser/browserTrace.js';
import { appPages, open, outputOf } from './appPages.js';

const pages = await appPages();
const { app, run } = pages;
const network = (mode: string, fields: object = {}) => ({ action: 'cdp.network', mode, ...fields });

/** Fetches a path from within the page. Returns the HTTP status or the error message. */
const fetchInPage = (path: string, options = {}): Promise<unknown> =>
  pages.page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(options)}).then((a) => a.status, (e) => e.message)`);

const measureFetchMs = (path: string): Promise<number> =>
  pages.page.evaluate(
    `(async () => { const t = performance.now(); await (await fetch('${path}')).text(); return performance.now() - t; })()`,
  );

/** Runs `work` in the page while the node "meanwhile" waits for it. */
const duringMeanwhile = (work: () => Promise<unknown>) => ({
  began(id: string): void {
    if (id === 'meanwhile') void work().then(() => pages.page.evaluate("document.body.id = 'happened'"));
  },
});
const meanwhile = { action: 'ui.wait_for', selector: '#happened' };

describe('cdp.network observe', () => {
  test('cdp.network observe counts requests and responses, and stores a HAR file without credentials', async () => {
    await pages.page.goto('/signed');
    const options = duringMeanwhile(async () => {
      await fetchInPage('/api/ok?page=2', {
        method: 'POST',
        headers: { authorization: 'Bearer very-secret', 'x-kind': 'order' },
      });
      await fetchInPage('/api/bad');
      await fetchInPage('http://127.0.0.1:1/refused');
    });
    const ran = await run({ begin: network('observe'), meanwhile, stop: network('stop') }, options);
    expect([ran.status, ran.error]).toEqual(['pass', '']);
    expect(outputOf(ran, 'stop')).toEqual({
      ...{ observed: 3, failed: 1, unanswered: 0, statuses: { 200: 1, 404: 1 }, dropped: 0, path: 'network/stop.har' },
      entries: [
        { method: 'POST', url: `${app.origin}/api/ok?page=2`, kind: 'fetch', status: 200 },
        { method: 'GET', url: `${app.origin}/api/bad`, kind: 'fetch', status: 404 },
        { method: 'GET', url: 'http://127.0.0.1:1/refused', kind: 'fetch', failure: expect.stringContaining('ERR_') },
      ],
    });
    const [file] = ran.pictures;
    expect(file).toMatchObject({ path: 'network/stop.har', type: 'log', mimeType: 'application/json' });
    const { log } = JSON.parse(Buffer.from(file?.body ?? []).toString());
    expect(log).toMatchObject({ version: '1.2', creator: { name: 'recipewright' } });
    expect(log.entries[0].request).toMatchObject({ method: 'POST', queryString: [{ name: 'page', value: '2' }] });
    expect(log.entries[0].request.headers).toContainEqual({ name: 'x-kind', value: 'order' });
    expect(log.entries[0].response).toMatchObject({ status: 200, content: { mimeType: 'application/json' } });
    expect(JSON.stringify(log)).not.toContain('very-secret');
  });

  test('cdp.network observe keeps only requests with the given URL and outcome', async () => {
    await pages.page.goto('/');
    const options = duringMeanwhile(async () => {
      await fetchInPage('/api/ok');
      const requestSent = pages.page.waitForRequest('**/api/never');
      await pages.page.evaluate("void fetch('/api/never')");
      await requestSent;
    });
    const ran = await run(
      { begin: network('observe', { url: '/api/*e' }), meanwhile, stop: network('stop', { capture: ['request'] }) },
      options,
    );
    expect(outputOf(ran, 'stop')).toMatchObject({ observed: 1, unanswered: 1, entries: [{ url: `${app.origin}/api/never` }] });
    await pages.page.goto('about:blank');
  });

  test('cdp.network observe includes requests of popups and later pages', async () => {
    const options = duringMeanwhile(async () => {
      const popup = pages.page.waitForEvent('popup');
      await pages.page.evaluate("void window.open('/popup')");
      await (await popup).waitForLoadState();
    });
    const ran = await run({ shop: open('/'), begin: network('observe'), meanwhile, stop: network('stop') }, options);
    expect(outputOf(ran, 'stop').entries).toContainEqual({
      method: 'GET',
      url: `${app.origin}/popup`,
      kind: 'document',
      status: 200,
    });
  });

  test('cdp.network stop lists 50 requests in the output and all of them in the HAR file', async () => {
    await pages.page.goto('/');
    const options = duringMeanwhile(() =>
      pages.page.evaluate("Promise.all(Array.from({ length: 80 }, (_, i) => fetch('/api/ok?' + i)))"),
    );
    const ran = await run({ begin: network('observe'), meanwhile, stop: network('stop') }, options);
    expect(outputOf(ran, 'stop').observed).toBe(80);
    expect(outputOf(ran, 'stop').entries).toHaveLength(50);
    expect(JSON.parse(Buffer.from(ran.pictures[0]?.body ?? []).toString()).log.entries).toHaveLength(80);
  });

  test('cdp.network refuses a second observe and a stop without an observe', async () => {
    expect((await run({ stop: network('stop') })).error).toMatch(/^cdp.not_observing: .*"observe"/);
    const twice = await run({ begin: network('observe'), again: network('observe') });
    expect(twice.error).toMatch(/^cdp.observing: .*Use mode "stop"/);
  });
});

describe('cdp.network', () => {
  test('cdp.network block refuses matching requests until restore', async () => {
    await pages.page.goto('/');
    const ran = await run({ block: network('block', { url: '/api/o*' }), more: network('block', { url: 'bad' }) });
    expect(outputOf(ran, 'more')).toEqual({ blocking: ['/api/o*', 'bad'] });
    expect([await fetchInPage('/api/ok'), await fetchInPage('/api/bad'), await fetchInPage('/cart')]).toEqual([
      'Failed to fetch',
      'Failed to fetch',
      200,
    ]);
    const back = await run({ restore: network('restore') });
    expect(outputOf(back, 'restore')).toEqual({ offline: false, wasOffline: false, wasThrottled: false, refused: 2 });
    expect(await fetchInPage('/api/ok')).toBe(200);
  });

  test('cdp.network throttle slows requests down, also for pages that open later', async () => {
    await pages.page.goto('/');
    let times = 0;
    // Polls, because other processes share the machine.
    await expect.poll(() => measureFetchMs(`/big?a${++times}`)).toBeLessThan(300);
    await run({ slow: network('throttle', { latency_ms: 300, download_kbps: 800 }) });
    expect(await measureFetchMs('/big?2')).toBeGreaterThan(300);
    await run({ again: { action: 'app.lifecycle', command: 'restart' }, slow: { action: 'app.status' } });
    const restarted = pages.page.context().pages()[0];
    const measureMs = async (query: number): Promise<number> =>
      (await restarted?.evaluate<number>(
        `(async () => { const t = performance.now(); await fetch('/api/ok?${query}'); return performance.now() - t; })()`,
      )) ?? Number.NaN;
    expect(await measureMs(++times)).toBeGreaterThan(250);
    await restoreNetwork();
    await expect.poll(() => measureMs(++times)).toBeLessThan(250);
  });

  const restoreNetwork = (): Promise<unknown> => run({ restore: network('restore') });

  test('cdp.network offline works before and after throttle, and restore ends both', async () => {
    await pages.page.goto('/');
    const status = { action: 'app.status' };
    expect(outputOf(await run({ off: network('offline'), status }), 'status').online).toBe(false);
    expect(await fetchInPage('/api/ok')).toBe('Failed to fetch');
    await run({ slow: network('throttle', { latency_ms: 10 }) });
    expect(await fetchInPage('/api/ok?1')).toBe('Failed to fetch');
    const ran = await run({ restore: network('restore'), status });
    expect(outputOf(ran, 'restore')).toMatchObject({ wasOffline: true, wasThrottled: true });
    expect(outputOf(ran, 'status').online).toBe(true);
    expect(await fetchInPage('/api/ok?2')).toBe(200);
  });

  test('cdp.network offline works on a throttled network', async () => {
    await pages.page.goto('/');
    await run({ slow: network('throttle', { latency_ms: 10 }), off: network('offline') });
    expect(await fetchInPage('/api/ok')).toBe('Failed to fetch');
    await restoreNetwork();
    expect(await fetchInPage('/api/ok?1')).toBe(200);
  });

  test('cdp.network offline is allowed in a proof, block is not', async () => {
    const see = { action: 'ui.wait_for', text: 'Shop', proofTarget: 'AC1' };
    const shot = { action: 'ui.screenshot', proofTarget: 'AC1' };
    const tunnel = await run(
      { shop: open('/'), off: { ...network('offline'), proofTarget: 'AC1' }, see, shot },
      { targets: ['AC1'] },
    );
    expect(tunnel.error).toBe('');
    const cheat = { shop: open('/'), block: { ...network('block', { url: 'x' }), proofTarget: 'AC1' }, see, shot };
    await expect(run(cheat, { targets: ['AC1'] })).rejects.toThrow(/workflow\.backdoor_in_proof/);
  });

  test.for([
    [network('block'), /needs "url"/],
    [network('throttle'), /needs "latency_ms", "download_kbps" or "upload_kbps"/],
    [network('offline', { url: 'x' }), /needs mode "observe" or "block" for "url"/],
    [network('observ'), /mode/],
  ] as const)('the node %j is refused before the run', async ([node, message]) => {
    await expect(run({ node })).rejects.toThrow(message);
  });
});

test('a trace that is too large is cut between two events and stays valid JSON', () => {
  const events = Array.from({ length: 1_000 }, (_, ts) => ({ name: 'a},\n{', ts }));
  const text = `{"traceEvents":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}],"metadata":{}}`;
  const whole = truncateTrace(Buffer.from(text));
  expect([whole.events, whole.wasTruncated]).toEqual([1_000, false]);
  const { body, events: eventCount, wasTruncated } = truncateTrace(Buffer.from(text), 5_000);
  expect([body.length <= 5_000, wasTruncated]).toEqual([true, true]);
  expect(JSON.parse(body.toString()).traceEvents).toEqual(events.slice(0, eventCount));
  expect(eventCount).toBeGreaterThan(100);
});
