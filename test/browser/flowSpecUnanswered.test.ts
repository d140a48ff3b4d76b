// A navigation without a response fails: the browser's empty page must not pass a step.

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

describe('a navigation without a response', () => {
  test.for([
    ['a host without an address', gone, 'gone.site.test has no address'],
    ['a host at a private address', inside, 'inside.site.test leads to 127.0.0.1, which is not public'],
    ['a port without a server', dead, 'the server did not answer: connect ECONNREFUSED'],
    ['a redirect to a port without a server', `${site.origin}/to-dead`, 'the server did not answer: connect ECONNREFUSED'],
  ] as const)('a navigation to %s fails its step', async ([, url, why]) => {
    const { status, error, report } = await run([goto(url), atHome]);
    expect(status).toBe('fail');
    expect(error).toMatch(/^flow_spec\.spec_step_unresolvable: A navigation to .*\/home was blocked: /);
    expect(error).toContain(why);
    expect(report.steps.map((step) => step.status)).toEqual(['failed', 'skipped']);
  });

  test('a click that opens a port without a server fails the flow', async () => {
    const click = { type: 'act', action: 'click', selector: 'text=Go on' };
    const { status, error } = await run([goto(`${site.origin}/links`), click, atHome]);
    expect(status).toBe('fail');
    expect(error).toContain('the server did not answer');
  });

  test('a part of a page without a response and a page with status 403 do not fail the flow', async () => {
    const see = (value: string) => ({ type: 'expect', kind: 'text_contains', value });
    const steps = [goto(`${site.origin}/parts`), see('parts'), goto(`${site.origin}/forbidden`), see('forbidden')];
    expect(await run(steps)).toMatchObject({ error: '', status: 'pass' });
  });
});
