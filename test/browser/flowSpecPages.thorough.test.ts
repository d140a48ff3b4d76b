// What pages do on their own while a flow looks at them: they go somewhere else, and they stumble over what we keep from them.
import type { Page as BrowserPage } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import type { TargetResolver } from '../../src/formats/flowSpec/settings.js';
import { flowLab } from '../support/flowLab.js';
import { type Page, tellsOf } from './flowSpecSite.js';

const goes = (to: string): string => `<h1>First</h1><script>location.href = '${to}'</script><img src="/late.png">`;
const pages: Record<string, Page> = {
  '/on': { html: goes('/next') },
  '/next': { html: '<h1>Second</h1>' },
  '/stays': { html: goes('/nothing') },
  '/nothing': { status: 204 },
  // Leaves in the very moment in which somebody reads what it says.
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
  html: `${tellsOf(4)}<h1>Hello</h1><script>fetch('${elsewhere}/a'); fetch('${elsewhere}/b'); import('${elsewhere}/c.js')</script>
    <script type="module">await import('${elsewhere}/d.js')</script>`,
};
pages['/own-fault'] = {
  html: `${tellsOf(2)}<h1>Hello</h1><script>fetch('${elsewhere}/a').catch(() => 0)
    fetch('${elsewhere}/b').then(() => 0, () => { Promise.reject(new Error('I was refused')) }); Promise.reject(new TypeError('Failed to parse'))</script>`,
};
pages['/broken-too'] = {
  html: `${tellsOf(3)}<h1>Hello</h1><script>fetch('${elsewhere}/a'); for (const _ of [1, 2]) Promise.reject(new TypeError('Failed to fetch'))</script>`,
};

const goto = (path: string) => ({ type: 'goto', url: `${site.origin}${path}` });
const sees = (value: string) => ({ type: 'expect', kind: 'text_contains', value });
const onlyAdmitted = { subresources: 'admitted-only' } as const;

describe('a page that goes somewhere else while it loads', () => {
  test('is left for where it goes', async () => {
    expect(await run([goto('/on'), sees('second')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('says nothing while it is left, and is read where it gets to', async () => {
    expect(await run([goto('/leaves'), sees('second')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('is there when it does not get anywhere, and is not waited for', async () => {
    expect(await run([goto('/stays'), sees('first')])).toMatchObject({ error: '', status: 'pass' });
  });

  test('fails its step at once when it may not go there', async () => {
    const { error } = await run([goto('/astray')]);
    // One line: that nothing more was loaded in time is not part of it.
    expect(error).toMatch(/^flow_spec\.spec_step_unresolvable: A navigation to .*\/x was blocked: .*$/);
  });

  test('loads nothing when it only scrolls to another place', async () => {
    expect(await run([goto('/clean'), goto('/clean#place'), sees('clean')])).toMatchObject({ error: '', status: 'pass' });
  });
});

describe('a page that a flow may not be on', () => {
  const there = { type: 'act', action: 'click', target: 'the teleport button' };

  test('is any other one than that of the flow, when that is closed', async () => {
    const resolver: TargetResolver<BrowserPage> = async ({ page }) => {
      await page.close();
      return { selector: 'h1' };
    };
    const steps = [goto('/clean'), { ...there, optional: true }, goto('/next'), sees('second')];
    const { error, report } = await run(steps, {}, { resolver, cutShort: { node: 'step-2', ms: 800 } });
    const closed = 'The page of the flow was closed, and a flow cannot continue in another one.';
    expect([error, report.run.step]).toEqual([`flow_spec.spec_step_unresolvable: ${closed}`, 'step-3']);
  });

  test('is one of a host that is not admitted, whoever led there', async () => {
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
  const graded = (path: string, settings = {}) =>
    run([goto(path), sees('hello'), { type: 'wait', for: '#told' }], { assertions }, settings);

  test('are not what our own blocks make of its requests and imports, though nobody caught it', async () => {
    const { error, report } = await graded('/blocked', onlyAdmitted);
    expect(error).toBe('');
    expect(report.blocked.map(({ what, url }) => `${what} ${new URL(url).pathname}`).sort()).toEqual([
      ...['request /a', 'request /b', 'request /c.js', 'request /d.js'],
    ]);
    expect(report.findings.map(({ status, severity }) => `${status} ${severity}`)).toEqual(Array(4).fill('advisory info'));
  });

  test('are what it makes of them itself', async () => {
    const { error } = await graded('/own-fault', onlyAdmitted);
    expect(error).toContain('2 console or page errors occurred during the flow');
  });

  test('are excused no more often than something was blocked', async () => {
    const { error } = await graded('/broken-too', onlyAdmitted);
    expect(error).toContain('2 console or page errors occurred during the flow: page error: Failed to fetch');
  });
});
