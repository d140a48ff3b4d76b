// A rejected login ends with credential_rejected, which asks the user. No other failure does.
import { describe, expect, test } from 'vitest';
import { flowLab } from '../support/flowLab.js';
import type { Json } from '../unit/formats/flowSpec/spec.js';
import type { FlowOptions } from './flowSpecRun.js';
import type { Answer, Page } from './flowSpecSite.js';

const login = (to: string): string => `<form action="${to}" method="post"><label>Email <input name="email"></label>
  <label>Password <input name="password" type="password"></label><button>Sign in</button></form>`;
const codeForm = (to: string): string =>
  `<form action="${to}" method="post"><label>Code <input id="code"></label><button>Go on</button></form>`;
const scripted = `<form id="f"><label>Password <input name="password" type="password"></label><p role="alert" id="a"></p><button>Sign in</button></form>
  <script>f.onsubmit = (event) => { event.preventDefault(); setTimeout(() => { a.textContent = 'Invalid password' }, 600) }</script>`;
const asynchronous = (
  answer: string,
): string => `<form id="f"><label>Kennwort <input name="pw" type="password"></label><p id="a"></p>
  <button id="b">Anmelden</button></form><script>f.onsubmit = async (event) => { event.preventDefault(); b.textContent = 'Bitte warten'
  const answer = await fetch('/json', { method: 'POST', body: 'x' }); ${answer} }</script>`;
const newsletter = (to: string): string =>
  `<form action="${to}" method="post"><label>Password <input name="email"></label><button>Abonnieren</button></form>`;

const pages: Record<string, Page> = {
  '/in-words': { html: login('/said') },
  '/said': { html: `<div role="alert">Wrong email or password.</div>${login('/said')}` },
  '/by-status': { html: login('/refused') },
  '/refused': { html: `<p>Das hat nicht geklappt.</p>${login('/refused')}`, status: 401 },
  '/code': { html: codeForm('/code-again') },
  '/code-again': { html: `<p class="error">This code is not valid.</p>${codeForm('/code-again')}` },
  '/script': { html: scripted },
  '/right': { html: login('/home') },
  '/home': { html: '<h1>Home</h1>' },
  '/broken': { html: login('/500') },
  '/500': { html: '<h1>Sorry</h1>', status: 500 },
  '/elsewhere': { html: login('/tip') },
  '/german': { html: `<h1>Anmelden</h1>${login('/german')}` },
  '/sorry': { html: login('/sorry-again') },
  '/sorry-again': { html: `<p>Sorry, that didn't work.</p>${login('/sorry-again')}` },
  '/silent': { html: login('/silent') },
  '/marked': { html: login('/marked-again') },
  '/marked-again': { html: login('/marked-again').replace('name="password"', 'name="password" aria-invalid="true"') },
  '/classed': { html: newsletter('/classed-again') },
  '/classed-again': { html: `<div class="form-group has-error">${newsletter('/classed-again')}<b>Unbekannt</b></div>` },
  '/get': { html: login('/get').replace('method="post"', '') },
  '/json': { html: '{}' },
  '/said-later': { html: asynchronous(`a.textContent = 'Das hat nicht geklappt.'; b.textContent = 'Anmelden'`) },
  '/emptied': { html: asynchronous('f.reset()') },
  '/slow': { html: asynchronous(`a.textContent = 'Einen Moment'; setTimeout(() => { location.href = '/home' }, 700)`) },
  '/public': { html: '<h1>Public</h1>' },
  '/settings-next': { html: login('/settings') },
  '/settings': {
    html: `<p class="error">Your e-mail is not valid.</p><form action="/change" method="post">
      <input name="old" type="password"><input name="password" type="password"></form>`,
  },
  '/header-next': { html: login('/header') },
  '/header': { html: `<p role="alert">Neu</p><form action="/in"><input name="password" type="password"></form><h1>Hallo</h1>` },
  '/changed': {
    html: `<form action="/changed" method="post"><input name="password" type="password" aria-label="Password">
      <input name="again" type="password"><button>Ändern</button></form>`,
  },
  '/news': { html: newsletter('/news-again') },
  '/news-again': { html: `<p role="alert">Danke!</p>${newsletter('/news-again')}` },
  '/saved-next': { html: login('/saved') },
  '/saved': { html: `<p class="alert alert-success">Gespeichert</p>${login('/saved')}` },
  '/thanks-next': { html: login('/thanks') },
  '/thanks': { html: `<p>Your settings have been saved.</p>${login('/thanks')}` },
  '/old-next': { html: login('/old') },
  '/old': { html: `<p>Your password was updated 2 months ago</p><p>Settings not saved.</p>${login('/old')}` },
  '/unsaved-next': { html: login('/unsaved') },
  '/unsaved': { html: `<p>Saved</p><p class="error">Nein</p>${login('/unsaved')}` },
  '/busy': { html: login('/busy-again') },
  '/busy-again': { html: `<p>Später wieder</p>${login('/busy-again')}`, status: 503 },
  '/late-next': { html: login('/late') },
  '/held-next': { html: asynchronous(`a.className = 'error'; a.textContent = 'Nein'`).replace("'/json'", "'/held'") },
  '/tip': { html: `<h1>Search</h1><p class="error">Unknown product.</p><input name="q">` },
};
/** Resolves when the flow has read the page. */
let pageRead: Promise<void> = Promise.resolve();
const nein = `<p class="error">Nein</p>${login('/late')}`;
const answer: Answer = async ({ pathname }, { method }) => {
  const page = pages[pathname] ?? {};
  if (pathname === '/late') return { html: '<p>Saved</p>', rest: pageRead.then(() => nein) };
  if (pathname === '/held') return pageRead.then(() => ({ html: '{}' }));
  return pathname === '/german' && method === 'POST' ? { html: `<p>Das hat nicht geklappt.</p>${page.html}` } : page;
};

const env = { SECRET: 'right-horse-battery' };
// Long timeouts for steps that end with an event.
const lab = await flowLab(answer, { env, expectMs: 20_000, stepMs: 20_000 });
/** A short timeout, for conditions that never become true. */
const brief = { expectMs: 400 };
/** Ends the wait for a text that never appears. */
const cutShort = { node: 'step-3', ms: 300 };
/** Leaves the script of the page enough time to change the page. */
const afterScript = { ...cutShort, ms: 5_000 };
const fill = (target: string): Json => ({ type: 'act', action: 'fill', target, value: '{{SECRET}}' });
const send = { type: 'act', action: 'click', selector: 'button' };
const password = fill('the password field');

const run = (path: string, steps: readonly Json[], options: Partial<FlowOptions> = {}) =>
  lab.run(steps, { url: `${lab.site.origin}${path}` }, options);

const seesHome = { type: 'wait', for: 'text=Home' };

describe('a login', () => {
  test.for([
    ['the page shows an error message', '/in-words', password, 'the page says "Wrong email or password."'],
    ['the server responds with 401', '/by-status', password, 'the server answered POST /refused with 401'],
    ['the page rejects a code', '/code', fill('the code field'), 'the page says "This code is not valid."'],
    ['a script shows an error message later', '/script', password, 'the page says "Invalid password"'],
  ] as const)(
    'a login is rejected when %s, and the next step fails with credential_rejected',
    async ([, path, secret, reason]) => {
      const steps = [secret, send, seesHome, { type: 'wait', ms: 1 }];
      const { status, cause, error, report, everything } = await run(path, steps, {
        cutShort: path === '/script' ? afterScript : cutShort,
      });
      expect(error).toContain(`flow_spec.credential_rejected: The login was rejected: ${reason}.`);
      expect([status, cause, report.run]).toMatchObject([
        'fail',
        'environment',
        { status: 'failed', step: 'step-3', failure_class: 'credential_rejected', alert: 'ask_user' },
      ]);
      expect(report.steps.map((step) => step.status)).toEqual(['passed', 'passed', 'failed', 'skipped']);
      expect(everything).not.toContain(env.SECRET);
    },
  );

  test.for(['/in-words', '/by-status', '/script'])('a flow that ends with a rejected login on %s fails', async (path) => {
    const { status, error, report } = await run(path, [password, send]);
    expect(error).toContain('flow_spec.credential_rejected: The login was rejected: ');
    expect([status, report.run]).toMatchObject(['fail', { status: 'failed', failure_class: 'credential_rejected' }]);
  });

  test.for([
    ['/german', 'its form was sent and is shown again, and the page says "Das hat nicht geklappt."'],
    ['/sorry', 'its form was sent and is shown again, and the page says "Sorry, that didn\'t work."'],
    ['/silent', 'its form was sent and is shown again'],
    ['/get', 'its form was sent and is shown again'],
    ['/old-next', 'its form was sent and is shown again, and the page says "Your password was updated 2 months ago"'],
    ['/unsaved-next', 'the page says "Nein"'],
    ['/marked', 'its field "password" is marked as wrong'],
    ['/classed', 'the page says "Unbekannt"'],
    ['/said-later', 'its form is still shown after it was sent, and the page says "Das hat nicht geklappt."'],
    ['/emptied', 'its form is still shown after it was sent, and was emptied'],
  ] as const)('a login is rejected in any language when its form is shown again, as on %s', async ([path, reason]) => {
    const secret = { ...password, target: 'the password field', selector: '[name=password],[name=pw],[name=email]:only-of-type' };
    const { status, error, report } = await run(path, [path === '/classed' ? password : secret, send], brief);
    expect(error).toBe(`flow_spec.credential_rejected: The login was rejected: ${reason}.`);
    expect([status, report.run.failure_class]).toEqual(['fail', 'credential_rejected']);
  });

  test.for([
    ['is still loading', '/late-next', 1],
    // The flow polls ten times a second, and the timeout of an expect is 400 ms here.
    ['gets the response after the timeout of an expect', '/held-next', 8],
  ] as const)('a login that is rejected by a page that %s fails the flow', async ([, path, pollCount]) => {
    let polls = 0;
    let answered: NonNullable<FlowOptions['answered']> = () => undefined;
    pageRead = new Promise((resolve) => {
      answered = (method, node) => {
        if (method === 'evaluateAll' && node === 'grade' && ++polls === pollCount) resolve();
      };
    });
    const typed = { ...password, selector: '[type=password]' };
    const { status, error } = await run(path, [typed, send], { ...brief, answered });
    expect([status, error]).toEqual(['fail', 'flow_spec.credential_rejected: The login was rejected: the page says "Nein".']);
  });

  test('a rejected login fails the flow although the next step opens another page', async () => {
    const { error, report } = await run('/sorry', [password, send, { type: 'goto', url: `${lab.site.origin}/public` }], brief);
    expect(error).toContain('flow_spec.credential_rejected: The login was rejected: its form was sent and is shown again');
    expect(report.run).toMatchObject({ step: 'step-3', failure_class: 'credential_rejected' });
  });

  test.for(['/settings-next', '/header-next', '/changed', '/news', '/saved-next', '/thanks-next', '/busy', '/slow'])(
    'a login is not rejected because of a form on the next page: %s',
    async (path) => {
      const secret = { ...password, selector: '[name=password],[name=pw]' };
      // Only /slow needs time to change.
      const options = path === '/slow' ? {} : brief;
      const { status, error } = await run(path, [secret, send, { type: 'goto', url: `${lab.site.origin}/public` }], options);
      expect([error, status]).toEqual(['', 'pass']);
      expect(await run(path, [secret, send], options)).toMatchObject({ error: '', status: 'pass' });
    },
  );

  test('a rejected login passes when the flow expects the error message', async () => {
    const { status, error } = await run('/in-words', [
      password,
      send,
      { type: 'expect', kind: 'text_contains', value: 'wrong email' },
    ]);
    expect([error, status]).toEqual(['', 'pass']);
  });

  test.for([
    ['/right', { type: 'expect', kind: 'text_contains', value: 'goodbye' }, 'assertion_failed'],
    ['/broken', seesHome, 'spec_step_unresolvable'],
    ['/elsewhere', seesHome, 'spec_step_unresolvable'],
  ] as const)('a failure after a successful login on %s is not credential_rejected', async ([path, step, failure]) => {
    const { report } = await run(path, [password, send, step], { ...brief, cutShort });
    expect(report.run.failure_class).toBe(failure);
  });

  test('a login that opens another page passes', async () => {
    expect(await run('/right', [password, send])).toMatchObject({ error: '', status: 'pass' });
  });
});
