// Where nobody answers there is no page: the empty one that a browser shows in its place makes no step green.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { Page } from './flowSpecSite.js';

const deadPort = await new Promise<number>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});
const gone = 'http://gone.site.test/home';
const inside = 'http://inside.site.test/home';
const dead = `http://site.test:${deadPort}/home`;

const pages: Record<string, Page> = {
  '/': { html: '<h1>Home</h1>' },
  '/links': { html: `<h1>Links</h1><a href="${dead}">Go on</a>` },
  '/to-dead': { location: dead },
  '/parts': { html: `<h1>Parts</h1><iframe src="${dead}"></iframe><img src="${gone}">` },
  '/forbidden': { html: '<h1>Forbidden</h1>', status: 403 },
};
const { site, run } = await flowLab(pages, {
  lookup: async (host) => (host === 'gone.site.test' ? [] : ['127.0.0.1']),
});
const goto = (url: string) => ({ type: 'goto', url });
const atHome = { type: 'expect', kind: 'url_contains', value: '/home' };

describe('a navigation that nobody answers', () => {
  test.for([
    ['a host without an address', gone, 'gone.site.test has no address'],
    ['a host at a private address', inside, 'inside.site.test leads to 127.0.0.1, which is not public'],
    ['a port where nobody listens', dead, 'the server did not answer: connect ECONNREFUSED'],
    ['a redirect to such a port', `${site.origin}/to-dead`, 'the server did not answer: connect ECONNREFUSED'],
  ] as const)('fails its step: %s', async ([, url, why]) => {
    const { status, error, report } = await run([goto(url), atHome]);
    expect(status).toBe('fail');
    expect(error).toMatch(/^flow_spec\.spec_step_unresolvable: A navigation to .*\/home was blocked: /);
    expect(error).toContain(why);
    expect(report.steps.map((step) => step.status)).toEqual(['failed', 'skipped']);
  });

  test('fails the flow when a click leads there', async () => {
    const click = { type: 'act', action: 'click', selector: 'text=Go on' };
    const { status, error } = await run([goto(`${site.origin}/links`), click, atHome]);
    expect(status).toBe('fail');
    expect(error).toContain('the server did not answer');
  });

  test('is none of a part of a page, nor where the server itself refuses', async () => {
    const see = (value: string) => ({ type: 'expect', kind: 'text_contains', value });
    const steps = [goto(`${site.origin}/parts`), see('parts'), goto(`${site.origin}/forbidden`), see('forbidden')];
    expect(await run(steps)).toMatchObject({ error: '', status: 'pass' });
  });
});
