// Pages that navigate while a flow uses them, and pages whose requests the flow blocks.
import type { Page as BrowserPage } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import type { TargetResolver } from '../../src/formats/flowSpec/settings.js';
import { flowLab } from '../support/flowLab.js';
import { type Page, showAfterErrors } from './flowSpecSite.js';

const goes = (to: string): string => `<h1>First</h1><script>location.href = '${to}'</script><img src="/late.png">`;
const pages: Record<string, Page> = {
  '/on': { html: goes('/next') },
  '/next': { html: '<h1>Second</h1>' },
  '/stays': { html: goes('/nothing') },
  '/nothing': { status: 204 },
  // Navigates at the moment when a script reads its text.
  '/leaves': {
    html: `<h1>First</h1><script>const { map } = Array.prototype; Array.prototype.map = function (...given) {
      if (this[0] !== document.body) return map.apply(this, given);
      location.href = '/next'; return new Promise(() => 0) }</script>`,
  },
  '/clean': { html: '<h1>Clean</h1>' },
};
const { site, run } = await flowLab(pages);
const elsewhere = 'http://sub.other.test';
pages['/astray'] = { html: goes(`${site.evil}/x`) };
pages['/blocked'] = {
  html: `${showAfterErrors(4)}<h1>Hello</h1><script>fetch('${elsewhere}/a'); fetch('${elsewhere}/b'); import('${elsewhere}/c.js')</script>
    <script type="module">await import('${elsewhere}/d.js')</script>`,
};
pages['/own-fault'] = {
  html: `${showAfterErrors(2)}<h1>Hello</h1><script>fetch('${elsewhere}/a').catch(() => 0)
    fetch('${elsewhere}/b').then(() => 0, () => { Promise.reject(new Error('I was refused')) }); Promise.reject(new TypeError('Failed to parse'))</script>`,
};
pages['/broken-too'] = {
  html: `${showAfterErrors(3)}<h1>Hello</h1><script>fetch('${elsewhere}/a'); for (const _ of [1, 2]) Promise.reject(new TypeError('Failed to fetch'))</script>`,
};

const goto = (path: string) => ({ type: 'goto', url: `${site.origin}${path}` });
const sees = (value: string) => ({ type: 'expect', kind: 'text_contains', value });
const onlyAdmitted = { subresources: 'admitted-only' } as const;

describe('a page that navigates while it loads', () => {
  test('a goto follows the redirect of a page script', async () => {
    expect(await run([goto('/on'), sees('second')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('a page that navigates while its text is read is read again on the next page', async () => {
    expect(await run([goto('/leaves'), sees('second')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('a goto does not wait for a navigation that opens no page', async () => {
    expect(await run([goto('/stays'), sees('first')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('a page script that navigates to a blocked host fails the goto at once', async () => {
    const { error } = await run([goto('/astray')]);
    // The message has one line: it does not end in a timeout message.
    expect(error).toMatch(/^flow_spec\.spec_step_unresolvable: A navigation to .*\/x was blocked: .*$/);
  });

  test('a goto to another fragment of the page passes without a load', async () => {
    expect(await run([goto('/clean'), goto('/clean#place'), sees('clean')])).toMatchObject({ error: '', status: 'pass' });
  });
});

describe('a page on which a flow must not continue', () => {
  const there = { type: 'act', action: 'click', target: 'the teleport button' };

  test('a flow does not continue on another page after its own page was closed', async () => {
    const resolver: TargetResolver<BrowserPage> = async ({ page }) => {
      await page.close();
      return { selector: 'h1' };
    };
    const steps = [goto('/clean'), { ...there, optional: true }, goto('/next'), sees('second')];
    const { error, report } = await run(steps, {}, { resolver, cutShort: { node: 'step-2', ms: 800 } });
    const closed = 'The page of the flow was closed, and a flow cannot continue in another one.';
    expect([error, report.run.step]).toEqual([`flow_spec.spec_step_unresolvable: ${closed}`, 'step-3']);
  });

  test('a flow does not continue on a host that is not allowed, even when the resolver opened it', async () => {
    const resolver: TargetResolver<BrowserPage> = async ({ page }) => {
      await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '<button>Teleport</button>' }));
      await page.goto(`${site.evil}/`);
      return { selector: 'button' };
    };
    const { error } = await run([goto('/clean'), there], {}, { resolver });
    expect(error).toMatch(/^flow_spec.spec_step_unresolvable: .*evil\.test/);
  });
});

describe('errors of a page', () => {
  const assertions = [{ kind: 'no_console_errors', severity: 'critical' }];
  const runWithAssertions = (path: string, settings = {}) =>
    run([goto(path), sees('hello'), { type: 'wait', for: '#told' }], { assertions }, settings);

  test('errors that our own blocking causes in a page are only advisory', async () => {
    const { error, report } = await runWithAssertions('/blocked', onlyAdmitted);
    expect(error).toBe('');
    expect(report.blocked.map(({ what, url }) => `${what} ${new URL(url).pathname}`).sort()).toEqual([
      ...['request /a', 'request /b', 'request /c.js', 'request /d.js'],
    ]);
    expect(report.findings.map(({ status, severity }) => `${status} ${severity}`)).toEqual(Array(4).fill('advisory info'));
  });

  test('errors that the page causes itself after a blocked request are counted', async () => {
    const { error } = await runWithAssertions('/own-fault', onlyAdmitted);
    expect(error).toContain('2 console or page errors occurred during the flow');
  });

  test('each blocked request excuses at most one error', async () => {
    const { error } = await runWithAssertions('/broken-too', onlyAdmitted);
    expect(error).toContain('2 console or page errors occurred during the flow: page error: Failed to fetch');
  });
});
