// Flow-specs as Playwright tests, through its own command line: where they are, what they leave, and what they keep to themselves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyPackage } from '../../src/check/verify/verifyPackage.js';
import { findChromium, launchOptionsFor } from '../../src/system/browsers.js';
import { expectManifest, expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { packageOf } from '../support/packages.js';
import { expect, type Project, test } from '../support/project.js';
import { testsIn } from '../support/report.js';
import { serveSignup } from '../support/signupSite.js';

const site = await serveSignup();
const { signup } = site;

const recipes = { recipes: 'flows/**/*.flowspec.json' };
const reporter = [
  ...[['list'], ['json', { outputFile: 'report.json' }], ['html'], ['blob'], ['junit', { outputFile: 'junit.xml' }]],
  ['recipewright/playwright/reporter'],
];
const config = { reporter, use: { ...launchOptionsFor(findChromium()), trace: 'on', screenshot: 'on', video: 'on' } };
const settings = (flowSpecs: object = {}): Record<string, string> => {
  const given = { flowSpecs: { allowPrivateHosts: [site.host], expectMs: 1_000, stepMs: 10_000, ...flowSpecs } };
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

test('the example of the format passes as a test, with its secrets in no file and no line of the run', async ({ project }) => {
  const inner = project({ ...settings(), 'flows/signup.flowspec.json': signup }, { config, recipes });
  const run = await inner.run([], { env });
  expect(run).toMatchObject({ exitCode: 0, passed: 1, failed: 0 });
  expect(testsIn(run.report)).toMatchObject([{ title: 'signup', file: 'flows/signup.flowspec.json', ok: true }]);
  const found = packageOf(run, 'flows/signup');
  expectWhole(found);
  expect(found.summary).toMatchObject({ status: 'pass' });
  expect(findingsOf(found.dir)).toMatchObject({ run: { status: 'completed' }, findings: [], blocked: [] });
  const beacons = JSON.parse(readFileSync(join(found.dir, 'beacons.json'), 'utf8')) as { vendor: string; event_name: string }[];
  expect(beacons.map(({ vendor, event_name }) => `${vendor} ${event_name}`)).toEqual(['ga4 page_view', 'ga4 sign_up']);
  expect(found.files).toContain('source.json');
  expect(leaksOf(telltales, inner, run)).toEqual([]);
});

test('a step that fails is shown at its line, by its words, and without the secrets', async ({ project }) => {
  const steps = signup.steps.map((step) => (step.kind === 'url_contains' ? { ...step, value: '/nowhere' } : step));
  const inner = project(
    { ...settings(), 'flows/deep/wrong.flowspec.json': { ...signup, name: 'It fails', steps } },
    { config, recipes },
  );
  const run = await inner.run([], { env });
  expect(run).toMatchObject({ exitCode: 1, passed: 0, failed: 1 });
  const file = 'flows/deep/wrong.flowspec.json';
  const line = lineOf(inner, file, '/nowhere') - 3;
  const [failed] = testsIn(run.report);
  expect(failed).toMatchObject({ title: 'It fails', file });
  expect(failed?.results[0]?.errors[0]?.location).toMatchObject({ file: join(inner.dir, file), line });
  expect(run.stdout).toContain('the address was expected to contain "/nowhere"');
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

test('a step that cannot be done is shown in the words of the flow', async ({ project }) => {
  const steps = [signup.steps[0], { type: 'act', action: 'click', selector: '#nowhere' }];
  const inner = project(
    { ...settings({ stepMs: 3_000 }), 'flows/a.flowspec.json': { ...signup, steps, assertions: [] } },
    { recipes },
  );
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, failed: 1 });
  const message = testsIn(run.report)[0]?.results[0]?.errors[0]?.message;
  expect(message).toMatch(/^RecipeError: css=#nowhere is not on /);
  expect(findingsOf(packageOf(run, 'flows/a').dir).run).toMatchObject({ failure_class: 'spec_step_unresolvable' });
});

test('a secret or a variable that is missing, and a document with a mistake, fail at their places while the others run', async ({
  project,
}) => {
  const typo = { ...signup, steps: [{ type: 'goto', url: site.origin, timeout: 5 }] };
  const plain = { ...signup, steps: [{ type: 'expect', kind: 'text_contains', value: 'welcome' }], assertions: [] };
  const unknown = { ...plain, name: 'unknown', steps: [{ type: 'expect', kind: 'text_contains', value: '{{ORDER}}' }] };
  const weak = { ...signup, name: 'weak', steps: [{ ...signup.steps[2], value: '{{WEAK}}' }] };
  const documents = { a: signup, b: typo, c: plain, d: unknown, e: weak };
  const files = Object.entries(documents).map(([name, document]) => [`flows/${name}.flowspec.json`, document]);
  const inner = project({ ...settings(), ...Object.fromEntries(files) }, { recipes });
  const run = await inner.run([], { env: { EMAIL: env.EMAIL, WEAK: 'abc' } });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 4 });
  expect(run.stdout).toContain('without it the run fails with credential_rejected');
  expect(run.stdout).toContain('steps[0].timeout: unknown field "timeout"');
  expect(run.stdout).toContain(`flows/b.flowspec.json:${lineOf(inner, 'flows/b.flowspec.json', 'timeout')}:`);
  expect([...run.packages].map(([id, { summary }]) => `${id} ${summary.status}`)).toEqual([
    ...['flows/a unknown', 'flows/c pass', 'flows/d unknown', 'flows/e unknown'],
  ]);
  for (const [id, why] of [
    ['flows/a', 'The secret "PASSWORD" has no value'],
    ['flows/d', 'steps[0].value refers to {{ORDER}}, which the run cannot supply'],
    ['flows/e', 'The secret "WEAK" cannot be kept secret'],
  ] as const) {
    const found = packageOf(run, id);
    expectManifest(found);
    expect(verifyPackage(found.dir)).toMatchObject({ status: 'verified', verdict: 'unknown', findings: [] });
    expect(found.summary).toMatchObject({ cause_class: 'environment' });
    const { run: told, steps } = findingsOf(found.dir);
    expect(told).toMatchObject({ status: 'failed', failure_class: 'credential_rejected', alert: 'ask_user' });
    expect(told.message).toContain(why);
    expect(new Set(steps.map(({ status }: { status: string }) => status))).toEqual(new Set(['skipped']));
  }
});

test('no browser is started for a flow whose secret or variable is missing', async ({ project }) => {
  // The browser that the project names is not there: whoever starts it says so.
  const use = { launchOptions: { executablePath: '/nowhere/chromium' } };
  const plain = { ...signup, name: 'plain', steps: [{ type: 'goto', url: site.origin }], assertions: [] };
  const unknown = { ...plain, name: 'unknown', steps: [{ type: 'goto', url: `${site.origin}/{{ORDER}}` }] };
  const inner = project(
    { ...settings(), 'flows/a.flowspec.json': signup, 'flows/b.flowspec.json': plain, 'flows/c.flowspec.json': unknown },
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

test('what fails a test is for the project to say, and how the run went is told apart from it', async ({ project }) => {
  const assertions = [{ kind: 'beacon_fires', vendor: 'meta', severity: 'warning' }];
  const graded = { ...signup, steps: [{ type: 'expect', kind: 'text_contains', value: 'welcome' }], assertions };
  const inner = project({ ...settings(), 'flows/a.flowspec.json': graded }, { recipes });
  const lenient = await inner.run();
  expect(lenient).toMatchObject({ exitCode: 0, passed: 1 });
  inner.write(settings({ failOn: 'warning' }));
  const strict = await inner.run();
  expect(strict).toMatchObject({ exitCode: 1, failed: 1 });
  for (const run of [lenient, strict])
    expect(findingsOf(packageOf(run, 'flows/a').dir)).toMatchObject({
      run: { status: 'completed' },
      findings: [{ severity: 'warning' }],
    });
});
