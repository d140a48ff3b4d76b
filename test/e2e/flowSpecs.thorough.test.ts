// Flow-specs as Playwright tests, with the real Playwright: their places, their packages and their secrets.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { expectManifest, expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { packageOf } from '../support/packages.js';
import type { Project, Run } from '../support/project.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';
import { serveSignup } from '../support/signupSite.js';

test.describe.configure({ mode: 'default' });

const site = await serveSignup();
const { signup } = site;

const recipes = { recipes: 'flows/**/*.flowspec.json' };
const reporter = [
  ...[['list'], ['json', { outputFile: 'report.json' }], ['html'], ['blob'], ['junit', { outputFile: 'junit.xml' }]],
  ['recipewright/playwright/reporter'],
];
const config = { reporter, use: { ...launchOptionsFor(findChromium()), trace: 'on', screenshot: 'on', video: 'on' } };
const settings = (flowSpecs: object = {}): Record<string, string> => {
  const given = { flowSpecs: { allowPrivateHosts: [site.host], expectMs: 2_000, stepMs: 10_000, ...flowSpecs } };
  return { 'recipewright.config.mjs': `export default ${JSON.stringify(given)};\n` };
};
const env = { EMAIL: 'zebra.quartz@example.org', PASSWORD: 'Maple-Fjord-5512' };
const telltales = [
  ...Object.values(env),
  ...Object.values(env).map((value) => Buffer.from(value).toString('base64').slice(0, 16)),
];

const lineOf = ({ dir }: Project, file: string, text: string): number =>
  readFileSync(join(dir, file), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1;
const findingsOf = (dir: string) => JSON.parse(readFileSync(join(dir, 'findings.json'), 'utf8'));

const wrongSteps = signup.steps.map((step) => (step.kind === 'url_contains' ? { ...step, value: '/nowhere' } : step));
const graded = {
  ...signup,
  name: 'graded',
  steps: [{ type: 'expect', kind: 'text_contains', value: 'welcome' }],
  assertions: [{ kind: 'beacon_fires', vendor: 'meta', severity: 'warning' }],
};
const plain = { ...graded, assertions: [] };

/** A run with every output that Playwright can write. */
const runWithSecrets = shareRun(
  {
    ...settings(),
    'flows/deep/wrong.flowspec.json': { ...signup, name: 'It fails', steps: wrongSteps },
    'flows/signup.flowspec.json': signup,
  },
  { config, recipes },
  { env },
);

/** A run without one of the secrets. */
const runWithoutSecret = shareRun(
  {
    ...settings({ stepMs: 3_000 }),
    'flows/a.flowspec.json': signup,
    'flows/b.flowspec.json': { ...signup, steps: [{ type: 'goto', url: site.origin, timeout: 5 }] },
    'flows/c.flowspec.json': { ...plain, name: 'plain' },
    'flows/d.flowspec.json': {
      ...plain,
      name: 'unknown',
      steps: [{ type: 'expect', kind: 'text_contains', value: '{{ORDER}}' }],
    },
    'flows/e.flowspec.json': { ...signup, name: 'weak', steps: [{ ...signup.steps[2], value: '{{WEAK}}' }] },
    'flows/f.flowspec.json': {
      ...plain,
      name: 'lost',
      steps: [signup.steps[0], { type: 'act', action: 'click', selector: '#nowhere' }],
    },
    'flows/graded.flowspec.json': graded,
  },
  { recipes },
  { env: { EMAIL: env.EMAIL, WEAK: 'abc' } },
);

const reportOf = (run: Run, expectedTitle: string) => testsIn(run.report).find(({ title }) => title === expectedTitle);

test('the example flow-spec passes as a test, and no file and no output of the run contains its secrets', async ({ project }) => {
  const { inner, run } = await runWithSecrets(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  expect(reportOf(run, 'signup')).toMatchObject({ file: 'flows/signup.flowspec.json', ok: true });
  const found = packageOf(run, 'flows/signup');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'pass' });
  expect(findingsOf(found.dir)).toMatchObject({ run: { status: 'completed' }, findings: [], blocked: [] });
  const beacons = JSON.parse(readFileSync(join(found.dir, 'beacons.json'), 'utf8')) as { vendor: string; event_name: string }[];
  expect(beacons.map(({ vendor, event_name }) => `${vendor} ${event_name}`)).toEqual(['ga4 page_view', 'ga4 sign_up']);
  expect(found.files).toContain('source.json');
  expect(leaksOf(telltales, inner, run)).toEqual([]);
});

test('a failed flow-spec step is shown at its line, with its text, and without the secrets', async ({ project }) => {
  const { inner, run } = await runWithSecrets(project);
  expect(run.exitCode).toBe(1);
  const file = 'flows/deep/wrong.flowspec.json';
  const line = lineOf(inner, file, '/nowhere') - 3;
  const failed = reportOf(run, 'It fails');
  expect(failed).toMatchObject({ file, ok: false });
  expect(failed?.results[0]?.errors[0]?.location).toMatchObject({ file: join(inner.dir, file), line });
  expect(run.stdout).toContain('the URL was expected to contain "/nowhere"');
  expect(run.stdout).toContain(`${file}:${line}:`);
  const found = packageOf(run, 'flows/deep/wrong');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  expect(findingsOf(found.dir)).toMatchObject({
    run: { status: 'failed', step: 'step-7', failure_class: 'assertion_failed', alert: 'alert' },
    steps: { 7: { status: 'skipped' } },
  });
  expect(leaksOf(telltales, inner, run)).toEqual([]);
});

test('a flow-spec step that cannot be performed is shown with the text of the flow', async ({ project }) => {
  const { run } = await runWithoutSecret(project);
  const lost = reportOf(run, 'lost');
  expect(lost?.ok).toBe(false);
  const message = lost?.results[0]?.errors[0]?.message;
  expect(message).toMatch(/^RecipeError: css=#nowhere is not on /);
  expect(findingsOf(packageOf(run, 'flows/f').dir).run).toMatchObject({ failure_class: 'spec_step_unresolvable' });
});

test('a missing secret, a missing variable and an invalid document fail at their places, and the other flow-specs run', async ({
  project,
}) => {
  const { inner, run } = await runWithoutSecret(project);
  // Of the other flow-specs, one has a grade and one cannot be performed.
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 5 });
  expect(run.stdout).toContain('without it the run fails with credential_rejected');
  expect(run.stdout).toContain('steps[0].timeout: unknown field "timeout"');
  expect(run.stdout).toContain(`flows/b.flowspec.json:${lineOf(inner, 'flows/b.flowspec.json', 'timeout')}:`);
  expect([...run.packages].map(([id, { summary }]) => `${id} ${summary.status}`)).toEqual([
    ...['flows/a unknown', 'flows/c pass', 'flows/d unknown', 'flows/e unknown', 'flows/f fail', 'flows/graded pass'],
  ]);
  for (const [id, why] of [
    ['flows/a', 'The secret "PASSWORD" has no value'],
    ['flows/d', 'steps[0].value refers to {{ORDER}}, which the run cannot supply'],
    ['flows/e', 'The secret "WEAK" cannot be masked'],
  ] as const) {
    const found = packageOf(run, id);
    expectManifest(found);
    expect(verifyPackage(found.dir)).toMatchObject({ status: 'verified', verdict: 'unknown', findings: [] });
    expect(found.summary).toMatchObject({ cause_class: 'environment' });
    const { run: outcome, steps } = findingsOf(found.dir);
    expect(outcome).toMatchObject({ status: 'failed', failure_class: 'credential_rejected', alert: 'ask_user' });
    expect(outcome.message).toContain(why);
    expect(new Set(steps.map(({ status }: { status: string }) => status))).toEqual(new Set(['skipped']));
  }
});

test('no browser starts for a flow whose secret or variable is missing', async ({ project }) => {
  // The browser of the project does not exist, so a start of the browser would report that.
  const use = { launchOptions: { executablePath: '/nowhere/chromium' } };
  const opening = { ...plain, name: 'opening', steps: [{ type: 'goto', url: site.origin }] };
  const unknown = { ...plain, name: 'unknown', steps: [{ type: 'goto', url: `${site.origin}/{{ORDER}}` }] };
  const inner = project(
    { ...settings(), 'flows/a.flowspec.json': signup, 'flows/b.flowspec.json': opening, 'flows/c.flowspec.json': unknown },
    { config: { use }, recipes },
  );
  const run = await inner.run([], { env: { EMAIL: env.EMAIL } });
  const [secret, browser, variable] = testsIn(run.report).map(({ results }) => results[0]?.errors[0]?.message);
  expect(secret).toContain('The secret "PASSWORD" has no value');
  expect(secret).toContain('credential_rejected');
  expect(secret).not.toContain('/nowhere/chromium');
  expect(browser).toContain('/nowhere/chromium');
  expect(variable).toContain('credential_rejected: steps[0].url refers to {{ORDER}}');
  expect(variable).not.toContain('/nowhere/chromium');
});

test('the option failOn decides which findings fail a test, and the package lists them in any case', async ({ project }) => {
  const { run: lenient } = await runWithoutSecret(project);
  const strictly = { ...settings({ failOn: 'warning' }), 'flows/graded.flowspec.json': graded };
  const strict = await project(strictly, { recipes }).run();
  expect(strict).toMatchObject({ exitCode: 1, failed: 1 });
  expect([lenient, strict].map((run) => reportOf(run, 'graded')?.ok)).toEqual([true, false]);
  for (const run of [lenient, strict])
    expect(findingsOf(packageOf(run, 'flows/graded').dir)).toMatchObject({
      run: { status: 'completed' },
      findings: [{ severity: 'warning' }],
    });
});
