// F22: a hostile page does not get out of the hosts of its flow, whatever way it tries. A canary counts what reaches it.
import type { Page } from '@playwright/test';
import { afterEach, describe, expect, test } from 'vitest';
import type { FlowSettings, ResolverRequest } from '../../src/formats/flowSpec/settings.js';
import type { FlowReport } from '../browser/flowSpecRun.js';
import { flowLab } from '../support/flowLab.js';
import { hurriedClock } from '../support/skipShortPausesClock.js';
import { framesAndSockets, hostilePage, navigations, serviceWorkerScript, workerScript } from './hostilePages.js';

const host = 'site.localhost';
/** Where the pages that the site makes itself lead to. */
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

/** Opens each page, and waits until it has tried to get away. */
const visit = (htmls: readonly string[], { allowed = [], ...settings }: Visiting = {}) => {
  const steps = htmls.flatMap((html) => [
    { type: 'goto', url: at(html), optional: true },
    { type: 'wait', for: '#tried', optional: true },
  ]);
  return run(steps, { allowed_hosts: allowed, assertions: [{ kind: 'no_console_errors' }] }, settings);
};

/** The flow has a context of its own, the last one. */
const pageOfFlow = (): Page => {
  const page = lab.browser().contexts().at(-1)?.pages()[0];
  if (!page) throw new Error('The flow has no page.');
  return page;
};

/** The same for more pages than a flow has steps for. */
const partsOf = (htmls: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(htmls.length / 10) }, (_, index) => htmls.slice(10 * index, 10 * index + 10));

/** In flows side by side: most of the time a page only waits. */
async function visitAll(htmls: readonly string[], settings: Visiting = {}): Promise<FlowReport[]> {
  const visits = await Promise.all(partsOf(htmls).map((part) => visit(part, settings)));
  return visits.map(({ report }) => report);
}

/** One flow after the other: with two side by side, steps were seen to end before the popups that they had to blame. */
async function visitInTurn(htmls: readonly string[], settings: Visiting = {}): Promise<FlowReport[]> {
  const reports: FlowReport[] = [];
  for (const part of partsOf(htmls)) reports.push((await visit(part, settings)).report);
  return reports;
}

/** The worst case: a public host, from which the page was let load something before. */
const letIn = (pages: Record<string, string>): string[] =>
  Object.values(pages).map((html) => `<img src="${evil}/let-in">${html}`);
const anywhere = { allowPrivateHosts: [host, 'evil.test'] };
const beyondLetIn = (): string[] => site.hits.filter((hit) => hit !== 'connection' && hit !== 'GET /let-in');

describe('F22 a hostile page', () => {
  const ways = navigations(evil);
  const quieter = framesAndSockets(evil);

  test(`does not get out by any of ${Object.keys(ways).length} navigations: each fails its step, and the canary sees nobody`, async () => {
    const reports = await visitInTurn(letIn(ways), anywhere);
    expect([beyondLetIn(), site.hits.includes('GET /let-in')]).toEqual([[], true]);
    const messages = reports.flatMap(({ steps }) => steps.map(({ message = '' }) => message));
    const isBlamed = (way: string): boolean =>
      messages.some((message) => message.startsWith(`A navigation to ${evil}${way.replace(/#.*/, '')} was blocked`));
    expect(Object.keys(ways).filter((way) => !isBlamed(way))).toEqual([]);
    const classes = reports.flatMap(({ findings }) => findings.map(({ failure_class }) => failure_class));
    expect(classes).toEqual(Array(Object.keys(ways).length).fill('spec_step_unresolvable'));
    expect(reports.flatMap(({ assertions }) => assertions.map(({ status }) => status))).toEqual(['passed', 'passed']);
  });

  test(`does not get out by any of ${Object.keys(quieter).length} frames and sockets: they are on record, and no errors of the page`, async () => {
    const reports = await visitAll(letIn(quieter), anywhere);
    expect([beyondLetIn(), site.hits.includes('GET /let-in')]).toEqual([[], true]);
    const blocked = reports.flatMap((report) => report.blocked.map(({ url, what }) => `${what} ${new URL(url).pathname}`));
    expect(Object.keys(quieter).filter((way) => !blocked.includes(way))).toEqual([]);
    for (const { findings, assertions, steps } of reports) {
      expect(new Set(findings.map(({ status, severity }) => `${status} ${severity}`))).toEqual(new Set(['advisory info']));
      expect(assertions).toEqual([expect.objectContaining({ status: 'passed' })]);
      expect(steps.every(({ status }) => status === 'passed')).toBe(true);
    }
  });

  test('gets to the canary in every one of these ways when its flow admits it, so that the canary would have told', async () => {
    await visitAll(Object.values({ ...ways, ...quieter }), { ...anywhere, allowed: ['evil.test'] });
    const paths = [...Object.keys(ways), ...Object.keys(quieter)].map((way) => way.replace(/^\w+ |#.*/g, ''));
    const seen = new Set(site.hits.map((hit) => hit.split(' ')[1]));
    expect(paths.filter((path) => !seen.has(path))).toEqual([]);
  });

  test('does not even greet a canary that speaks TLS, by any of these ways', async () => {
    towards = secure;
    const all = { ...navigations(secure), ...framesAndSockets(secure) };
    await visitAll(Object.values(all), anywhere);
    expect([site.hellos, site.hits]).toEqual([[], []]);
    // From a host that it was let load from, requests come, and no socket.
    await visitAll([`<img src="${secure}/let-in">${all['socket /socket']}`, all['socket /worker'] ?? ''], anywhere);
    expect(new Set(site.hellos)).toEqual(new Set(['requests']));
    site.hellos.splice(0);
    for (const [way, hello] of [
      ['/js', 'requests'],
      ['socket /worker', 'socket'],
    ] as const) {
      const visiting = visit([all[way] ?? ''], { ...anywhere, allowed: ['evil.test'] });
      await expect.poll(() => site.hellos).toContain(hello);
      // What the browser shows of a host that does not answer never says that it tried.
      await pageOfFlow().close();
      await visiting;
    }
    expect(new Set(site.hellos)).toEqual(new Set(['requests', 'socket']));
  });

  test('reaches another public host with a request only when subresources may be loaded', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0).then(() => tried())</script><img src="${evil}/image">`;
    const { report } = await visit([html], { ...anywhere, subresources: 'admitted-only' });
    expect([site.hits, report.assertions[0]?.status]).toEqual([[], 'passed']);
    await visit([html], anywhere);
    expect(site.hits.filter((hit) => hit !== 'connection').sort()).toEqual(['GET /fetch', 'GET /image']);
  });

  test('does not go around the proxy, be it from a worker', async () => {
    const { report } = await visit([
      `<script>new Worker('/direct.js').onmessage = () => tried()</script><img src="${direct}/image">`,
    ]);
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url }) => url)).toEqual(
      expect.arrayContaining([`${direct.replace('http', 'ws')}/worker`, `${direct}/image`]),
    );
  });

  test('and its service worker reach no private host by fetch', async () => {
    const html = `<script>fetch('${evil}/fetch', { mode: 'no-cors' }).catch(() => 0);
      navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => setTimeout(() => fetch('/by-worker').catch(() => 0).then(() => tried()), 200))</script>`;
    const { report } = await visit([html]);
    expect(site.hits).toEqual([]);
    expect(report.blocked.map(({ url }) => new URL(url).pathname)).toEqual(expect.arrayContaining(['/fetch', '/fetched']));
  });

  test('does not get away later, while another step runs', async () => {
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

  test('cannot widen the hosts by a variable that it fills', async () => {
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

// By its address, which needs nobody to look it up: whatever goes around the proxy gets there.
const direct = `http://127.0.0.1:${new URL(evil).port}`;

describe('F22 a target resolver that a page talked round', () => {
  /** What a resolver does with the page that it is given. */
  const ask = async (
    tries: (request: ResolverRequest<Page>) => Promise<unknown>,
    settings: FlowSettings = {},
  ): Promise<FlowReport> => {
    const steps = [{ type: 'act', action: 'click', target: 'the button that nobody made' }];
    const resolver = async (request: ResolverRequest<Page>) => {
      await tries(request).catch(() => undefined);
      return undefined;
    };
    return (await run(steps, {}, { clock: hurriedClock(), resolver, ...settings })).report;
  };

  test.for([
    ['an API request', (request) => request.page.request.get(`${direct}/get`)],
    ['an API request that is posted', (request) => request.page.context().request.post(`${direct}/post`, { data: 'x' })],
    ['an API request that is redirected', (request) => request.page.request.get(`${site.origin}/direct`)],
    ['a navigation', (request) => request.page.goto(`${direct}/goto`)],
    ['a page of its own', async (request) => (await request.page.context().newPage()).goto(`${direct}/new`)],
  ] as [string, (request: ResolverRequest<Page>) => Promise<unknown>][])('does not get out by %s', async ([, tries]) => {
    const report = await ask(tries);
    expect([report.target_resolver_calls, report.run.failure_class]).toEqual([1, 'spec_step_unresolvable']);
    expect(site.hits).toEqual([]);
  });

  test('gets an answer from the hosts of the flow', async () => {
    const answers: number[] = [];
    await ask(async ({ page }) => answers.push((await page.request.get(`${site.origin}/`)).status()));
    expect(answers).toEqual([200]);
  });
});
