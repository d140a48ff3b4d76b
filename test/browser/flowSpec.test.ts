// Flow-specs in a real Chromium, against a site that sends beacons.
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';
import { type Answer, type Page, showAfterErrors } from './flowSpecSite.js';

const beacon = (name: string): string =>
  `navigator.sendBeacon('https://www.google-analytics.com/g/collect?v=2&tid=G-TEST123', 'en=scroll\\r\\nen=${name}')`;

const form = `<form action="/submit" method="post"><label>Email <input name="email" type="email"></label>
  <label>Password <input name="password" type="password"></label><button type="submit">Create my account</button></form>`;

const pages: Record<string, (body: string) => Page> = {
  '/': () => ({ html: `<title>Shop</title><h1>Welcome</h1><a href="/signup">Sign up</a><p id="order"> Order 42 </p>` }),
  '/signup': () => ({ html: form }),
  '/submit': (body) =>
    body.includes('right')
      ? { location: '/dashboard' }
      : { html: `<div role="alert">Wrong email or password.</div>${form}`, status: 401 },
  '/dashboard': () => ({ html: `<h1 data-testid="dashboard">Hello</h1><script>${beacon('sign_up')}</script>` }),
  '/broken': () => ({
    html: `${showAfterErrors(1)}<script>console.error('it broke'); setTimeout(() => { throw new Error('a page error') })</script>`,
  }),
};

/** Resolves when the slow page may respond. */
let slowPageReady: Promise<void> = Promise.resolve();
const answer: Answer = async ({ pathname }, request) => {
  if (pathname === '/slow') await slowPageReady;
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return pages[pathname]?.(decodeURIComponent(body)) ?? { html: `<h1>${pathname}</h1>` };
};
const lab = await flowLab(answer);
/** A short timeout, for conditions that never become true. */
const brief = { expectMs: 300 };
const { site } = lab;

const run = (steps: readonly Json[], { assertions, ...options }: Partial<FlowOptions> & { assertions?: Json[] } = {}) =>
  lab.run(steps, assertions ? { assertions } : {}, options);

const env = { EMAIL: 'buyer@example.org', PASSWORD: 'right-horse-battery' };
const signUp = [
  { type: 'goto', url: `${site.origin}/` },
  { type: 'act', action: 'click', target: 'the sign-up button', selector: 'text=Sign up' },
  { type: 'act', action: 'fill', target: 'the email field', selector: 'input[name=email]', value: '{{EMAIL}}' },
  { type: 'act', action: 'fill', target: 'the password field', selector: 'input[name=password]', value: '{{PASSWORD}}' },
  { type: 'act', action: 'click', target: 'the submit button', selector: 'button[type=submit]' },
  { type: 'wait', for: '[data-testid=dashboard]' },
  { type: 'expect', kind: 'url_contains', value: '/dashboard' },
  { type: 'expect', kind: 'beacon', vendor: 'ga4', event: 'Sign_Up' },
];

describe('a flow-spec in a browser', () => {
  test('the example flow of the spec signs up, and its beacon is captured instead of sent', async () => {
    const assertions = [
      { kind: 'no_console_errors', severity: 'warning' },
      { kind: 'beacon_fires', vendor: 'ga4', event: 'sign_up', severity: 'critical' },
    ];
    const { status, error, report, beacons, everything } = await run(signUp, { env, assertions });
    expect({ error, status }).toEqual({ error: '', status: 'pass' });
    expect(report).toMatchObject({ run: { status: 'completed' }, findings: [], blocked: [] });
    expect(report.steps.map((step) => step.status)).toEqual(Array(8).fill('passed'));
    expect(report.assertions.map((one) => one.status)).toEqual(['passed', 'passed']);
    expect(beacons.map(({ vendor, event_name, account_id }) => [vendor, event_name, account_id])).toEqual([
      ['ga4', 'scroll', 'G-TEST123'],
      ['ga4', 'sign_up', 'G-TEST123'],
    ]);
    expect(beacons[1]).toMatchObject({ schema_version: '1', method: 'POST', page_url: `${site.origin}/dashboard` });
    for (const secret of Object.values(env)) expect(everything).not.toContain(secret);
  });

  test('a required step that fails stops the flow, and the assertions are skipped', async () => {
    const steps = [
      { type: 'expect', kind: 'text_contains', value: 'goodbye' },
      { type: 'wait', ms: 1 },
    ];
    const { status, error, report } = await run(steps, { ...brief, assertions: [{ kind: 'no_console_errors' }] });
    expect(status).toBe('fail');
    expect(error).toContain('flow_spec.assertion_failed: the page was expected to contain "goodbye"');
    expect(report.run).toMatchObject({ status: 'failed', step: 'step-1', failure_class: 'assertion_failed', alert: 'alert' });
    expect(report.findings).toMatchObject([{ status: 'verified', severity: 'critical', node: 'step-1' }]);
    expect([report.steps[1]?.status, report.assertions[0]?.status]).toEqual(['skipped', 'skipped']);
  });

  test('an optional step that fails is a verified warning, and the flow continues', async () => {
    const steps = [
      { type: 'expect', kind: 'url_contains', value: '/nowhere', optional: true },
      { type: 'act', action: 'click', selector: '#missing', target: 'the button nobody made', optional: true },
      { type: 'extract', selector: '#gone', into: 'lost', optional: true },
      { type: 'act', action: 'click', selector: '#{{lost}}', optional: true },
      { type: 'expect', kind: 'text_contains', value: 'WELCOME', selector: 'h1' },
    ];
    const cutShort = { node: ['step-2', 'step-3'], ms: 800 };
    const { status, report } = await run(steps, { ...brief, stepMs: 10_000, cutShort });
    expect([status, report.run.status]).toEqual(['pass', 'completed']);
    expect(report.steps.map((step) => step.status)).toEqual(['failed', 'failed', 'failed', 'failed', 'passed']);
    expect(report.findings.map(({ status: kind, severity, failure_class }) => [kind, severity, failure_class])).toEqual([
      ['verified', 'warning', 'assertion_failed'],
      ['verified', 'warning', 'spec_step_unresolvable'],
      ['verified', 'warning', 'spec_step_unresolvable'],
      ['verified', 'warning', 'spec_step_unresolvable'],
    ]);
    expect(report.findings[3]?.message).toContain('{{lost}} has no value');
  });

  test('a click that opens a slow page passes with still_loading', async () => {
    pages['/leads'] = () => ({ html: '<a href="/slow">Go there</a>' });
    const steps = [
      { type: 'goto', url: `${site.origin}/leads` },
      { type: 'act', action: 'click', selector: 'a', target: 'the link' },
      { type: 'expect', kind: 'url_contains', value: '/slow' },
    ];
    let failed = (_: string): void => undefined;
    slowPageReady = new Promise((resolve) => {
      failed = (method) => void (method === 'click' && resolve());
    });
    // The click waits for the slow page, which responds only after the click was given up.
    const { error, ends } = await run(steps, { failed, cutShort: { node: 'step-2', ms: 4_000 } });
    expect([error, ends.get('step-2')?.output]).toEqual(['', expect.objectContaining({ still_loading: true })]);
  });

  test('a run variable is filled into URLs, selectors and values, but not into the pattern of url_matches', async () => {
    const steps = [
      { type: 'extract', selector: '#order', into: 'order' },
      { type: 'goto', url: `${site.origin}/o?{{order}}` },
      { type: 'expect', kind: 'url_contains', value: 'Order%2042' },
      { type: 'goto', url: `${site.origin}/` },
      { type: 'expect', kind: 'text_contains', value: '{{ order }}', selector: '#order' },
      { type: 'expect', kind: 'url_matches', value: '{{order}}', optional: true },
      { type: 'expect', kind: 'url_matches', value: '^http://[^/]+/\\Z' },
    ];
    const { error, report } = await run(steps, brief);
    expect(error).toBe('');
    expect(report.findings.map(({ message }) => message)).toEqual([expect.stringContaining('to match "{{order}}"')]);
  });

  test.for([
    ['critical', 'critical', 'fail'],
    ['warning', 'critical', 'pass'],
    ['info', 'warning', 'pass'],
  ] as const)('a failed assertion of severity %s with failOn %s ends with %s', async ([severity, failOn, expected]) => {
    const { status, report } = await run(
      [
        { type: 'goto', url: `${site.origin}/broken` },
        { type: 'wait', for: '#told' },
      ],
      {
        failOn,
        assertions: [{ kind: 'no_console_errors', severity }],
      },
    );
    expect([status, report.run.status]).toEqual([expected, 'completed']);
    expect(report.findings).toMatchObject([{ severity, status: severity === 'info' ? 'advisory' : 'verified' }]);
    expect(report.findings[0]?.evidence.detail).toMatch(/it broke.*a page error/);
  });

  test('a missing secret is refused before the browser starts', async () => {
    await expect(run(signUp, { env: { EMAIL: env.EMAIL } })).rejects.toThrow(
      'inputs.missing_secret: The secret "PASSWORD" has no value',
    );
  });

  test('a flow closes its own pages and leaves the page of the host empty', async () => {
    await run([{ type: 'wait', ms: 1 }]);
    // The host has one page, which the flow does not change.
    const urls = lab
      .browser()
      .contexts()
      .map((context) => context.pages().map((page) => page.url()));
    expect(urls).toEqual([['about:blank']]);
  });
});
