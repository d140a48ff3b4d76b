// F22: a hostile page cannot reach other hosts than those of its flow. A canary server records every request that reaches it.
import type { Page } from '@playwright/test';
import { afterEach, describe, expect, test } from 'vitest';
import type { FlowSettings, ResolverRequest } from '../../src/formats/flowSpec/settings.js';
import type { FlowReport } from '../browser/flowSpecRun.js';
import { flowLab } from '../support/flowLab.js';
import { skipShortPausesClock } from '../support/skipShortPausesClock.js';
import { framesAndSockets, hostilePage, navigations, serviceWorkerScript, workerScript } from './hostilePages.js';

const host = 'site.localhost';
/** The origin that redirects, workers and service workers of the site lead to. */
let towards = '';

// Service workers need an origin that browsers trust.
const lab = await flowLab(
  async ({ pathname, searchParams }) => {
    if (pathname === '/302') return { location: `${towards}/302` };
    if (pathname === '/chain') return { location: '/302' };
    if (pathname === '/direct') return { location: `${direct}/direct` };
    if (pathname === '/worker.js') return { script: workerScript(towards) };
    if (pathname === '/direct.js') return { script: workerScript(direct) };
    if (pathname === '/sw.js') return { script: serviceWorkerScript(towards) };
    return { html: hostilePage(searchParams.get('html') ?? '') };
  },
  { host },
);
const { site, run } = lab;
const { evil, secure } = site;
towards = evil;
afterEach(() => {
  for (const seen of [site.hits, site.hellos]) seen.splice(0);
  towards = evil;
});

const at = (html: string): string => `${site.origin}/?html=${encodeURIComponent(html)}`;

type Visiting = FlowSettings & { allowed?: readonly string[] };

/** Opens each page, and waits until the page has tried to leave the hosts of the flow. */
const visit = (htmls: readonly string[], { allowed = [], ...settings }: Visiting = {}) => {
  const steps = htmls.flatMap((html) => [
    { type: 'goto', url: at(html), optional: true },
    { type: 'wait', for: '#tried', optional: true },
  ]);
  return run(steps, { allowed_hosts: allowed, assertions: [{ kind: 'no_console_errors' }] }, settings);
};

/** The page in the last browser context, which belongs to the flow. */
const pageOfFlow = (): Page => {
  const page = lab.browser().contexts().at(-1)?.pages()[0];
  if (!page) throw new Error('The flow has no page.');
  return page;
};

/** Splits the pages into groups of ten, because a flow has a limited number of steps. */
const partsOf = (htmls: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(htmls.length / 10) }, (_, index) => htmls.slice(10 * index, 10 * index + 10));

/** Visits the pages in parallel flows, because a page only waits most of the time. */
async function visitAll(htmls: readonly string[], settings: Visiting = {}): Promise<FlowReport[]> {
  const visits = await Promise.all(partsOf(htmls).map((part) => visit(part, settings)));
  return visits.map(({ report }) => report);
}

/** Visits the pages in one flow after the other. In parallel flows, some steps ended before their popup was reported. */
async function visitInTurn(htmls: readonly string[], settings: Visiting = {}): Promise<FlowReport[]> {
  const reports: FlowReport[] = [];
  for (const part of partsOf(htmls)) reports.push((await visit(part, settings)).report);
  return reports;
}

/** Adds an image of the canary host to each page. This is the worst case: a public host from which the page may load resources. */
const withImageOfCanary = (pages: Record<string, string>): string[] =>
  Object.values(pages).map((html) => `<img src="${evil}/allowed">${html}`);
const anywhere = { allowPrivateHosts: [host, 'evil.test'] };
const forbiddenHits = (): string[] => site.hits.filter((hit) => hit !== 'connection' && hit !== 'GET /allowed');

describe('F22 a hostile page', () => {
  const ways = navigations(evil);
  const embeds = framesAndSockets(evil);

  test(`a hostile page reaches the canary by none of ${Object.keys(ways).length} navigations, and each fails its step`, async () => {
    const reports = await visitInTurn(withImageOfCanary(ways), anywhere);
    expect([forbiddenHits(), site.hits.includes('GET /allowed')]).toEqual([[], true]);
    const messages = reports.flatMap(({ steps }) => steps.map(({ message = '' }) => message));
    const isReported = (way: string): boolean =>
      messages.some((message) => message.startsWith(`A navigation to ${evil}${way.replace(/#.*/, '')} was blocked`));
    expect(Object.keys(ways).filter((way) => !isReported(way))).toEqual([]);
    const classes = reports.flatMap(({ findings }) => findings.map(({ failure_class }) => failure_class));
    expect(classes).toEqual(Array(Object.keys(ways).length).fill('spec_step_unresolvable'));
    expect(reports.flatMap(({ assertions }) => assertions.map(({ status }) => status))).toEqual(['passed', 'passed']);
  });

  test(`a hostile page reaches the canary by none of ${Object.keys(embeds).length} frames and sockets, and the report lists them`, async () => {
    const reports = await visitAll(withImageOfCanary(embeds), anywhere);
    expect([forbiddenHits(), site.hits.includes('GET /allowed')]).toEqual([[], true]);
    const blocked = reports.flatMap((report) => report.blocked.map(({ url, what }) => `${what} ${new URL(url).pathname}`));
    expect(Object.keys(embeds).filter((way) => !blocked.includes(way))).toEqual([]);
    for (const { findings, assertions, steps } of reports) {
      expect(new Set(findings.map(({ status, severity }) => `${status} ${severity}`))).toEqual(new Set(['advisory info']));
      expect(assertions).toEqual([expect.objectContaining({ status: 'passed' })]);
      expect(steps.every(({ status }) => status === 'passed')).toBe(true);
    }
  });

  test('a hostile page reaches the canary in every way when the flow allows the host, which proves that the canary works', async () => {
    await visitAll(Object.values({ ...ways, ...embeds }), { ...anywhere, allowed: ['evil.test'] });
    const paths = [...Object.keys(ways), ...Object.keys(embeds)].map((way) => way.replace(/^\w+ |#.*/g, ''));
    const seen = new Set(site.hits.map((hit) => hit.split(' ')[1]));
    expect(paths.filter((path) => !seen.has(path))).toEqual([]);
  });

  test('a hostile page sends no TLS handshake to the canary in any of these ways', async () => {
    towards = secure;
    const all = { ...navigations(secure), ...framesAndSockets(secure) };
    await visitAll(Object.values(all), anywhere);
    expect([site.hellos, site.hits]).toEqual([[], []]);
    // From a host whose resources may be loaded, requests arrive, and no sockets.
    await visitAll([`<img src="${secure}/allowed">${all['socket /socket']}`, all['socket /worker'] ?? ''], anywhere);
    expect(new Set(site.hellos)).toEqual(new Set(['requests']));
    site.hellos.splice(0);
    for (const [way, hello] of [
      ['/js', 'requests'],
      ['socket /worker', 'socket'],
    ] as const) {
      const visiting = visit([all[way] ?? ''], { ...anywhere, allowed: ['evil.test'] });
      await expect.poll(() => site.hellos).toContain(hello);
      // The error page of the browser never calls tried(), so the page is closed here.
      await pageOfFlow().close();
      await visiting;
    }
    expect(new Set(site.hellos)).toEqual(new Set(['requests', 'socket']));
  });

  test('a page loads resources from another public host only when the flow allows subresources', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0).then(() => tried())</script><img src="${evil}/image">`;
    const { report } = await visit([html], { ...anywhere, subresources: 'admitted-only' });
    expect([site.hits, report.assertions[0]?.status]).toEqual([[], 'passed']);
    await visit([html], anywhere);
    expect(site.hits.filter((hit) => hit !== 'connection').sort()).toEqual(['GET /fetch', 'GET /image']);
  });

  test('a page cannot bypass the proxy, even from a worker', async () => {
    const { report } = await visit([
      `<script>new Worker('/direct.js').onmessage = () => tried()</script><img src="${direct}/image">`,
    ]);
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url }) => url)).toEqual(
      expect.arrayContaining([`${direct.replace('http', 'ws')}/worker`, `${direct}/image`]),
    );
  });

  test('a page and its service worker cannot fetch from a private host', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0);
      navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(() => fetch('/by-worker').catch(() => 0).then(() => tried()), 200))</script>`;
    const { report } = await visit([html]);
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url }) => new URL(url).pathname)).toEqual(expect.arrayContaining(['/fetch', '/fetched']));
  });

  test('a page cannot leave the hosts of the flow later, while another step runs', async () => {
    const late = `<script>const [leave, left] = [() => location.replace('${evil}/late'), () => tried()]</script>`;
    const steps = [
      { type: 'goto', url: at(late) },
      { type: 'wait', for: '#tried' },
    ];
    const began = (node: string): void => {
      if (node !== 'step-2') return;
      const page = pageOfFlow();
      page.once('requestfailed', () => void page.evaluate('left()'));
      void page.evaluate('leave()');
    };
    const { report } = await run(steps, {}, { began });
    expect(report.run).toMatchObject({ status: 'failed', step: 'step-2', failure_class: 'spec_step_unresolvable' });
    expect(site.hits).toEqual([]);
  });

  test('a page cannot add a host by a variable that its content fills', async () => {
    const steps = [
      { type: 'goto', url: `${site.origin}/?html=${encodeURIComponent(`<p id="x">evil.test:${new URL(evil).port}</p>`)}` },
      { type: 'extract', selector: '#x', into: 'where' },
      { type: 'goto', url: 'http://{{where}}/' },
    ];
    const { error } = await run(steps, {}, { allowPrivateHosts: true });
    expect(error).toContain('evil.test is not among the hosts of this flow');
    expect(site.hits).toEqual([]);
  });
});

// An address needs no name lookup, so a request that bypasses the proxy reaches the canary.
const direct = `http://127.0.0.1:${new URL(evil).port}`;

describe('F22 a target resolver that a hostile page has influenced', () => {
  /** Runs a flow whose resolver tries to reach the canary with the page that it receives. */
  const runWithResolver = async (
    tries: (request: ResolverRequest<Page>) => Promise<unknown>,
    settings: FlowSettings = {},
  ): Promise<FlowReport> => {
    const steps = [{ type: 'act', action: 'click', target: 'the button that nobody made' }];
    const resolver = async (request: ResolverRequest<Page>) => {
      await tries(request).catch(() => undefined);
      return undefined;
    };
    return (await run(steps, {}, { clock: skipShortPausesClock(), resolver, ...settings })).report;
  };

  test.for([
    ['an API request', (request) => request.page.request.get(`${direct}/get`)],
    ['an API request that is posted', (request) => request.page.context().request.post(`${direct}/post`, { data: 'x' })],
    ['an API request that is redirected', (request) => request.page.request.get(`${site.origin}/direct`)],
    ['a navigation', (request) => request.page.goto(`${direct}/goto`)],
    ['a page of its own', async (request) => (await request.page.context().newPage()).goto(`${direct}/new`)],
  ] as [string, (request: ResolverRequest<Page>) => Promise<unknown>][])(
    'a target resolver cannot reach the canary by %s',
    async ([, tries]) => {
      const report = await runWithResolver(tries);
      expect([report.target_resolver_calls, report.run.failure_class]).toEqual([1, 'spec_step_unresolvable']);
      expect(site.hits).toEqual([]);
    },
  );

  test('a target resolver can request the hosts of the flow', async () => {
    const statuses: number[] = [];
    await runWithResolver(async ({ page }) => statuses.push((await page.request.get(`${site.origin}/`)).status()));
    expect(statuses).toEqual([200]);
  });
});
