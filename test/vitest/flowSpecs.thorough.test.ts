// Flow-specs as Vitest tests: the same documents, places and packages as with Playwright.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { expectManifest, expectWhole } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { packageOf } from '../support/packages.js';
import { serveSignup } from '../support/signupSite.js';
import { vitestProject } from '../support/vitestProject.js';

const site = await serveSignup();
afterAll(() => site.close());
const { signup } = site;
const env = { EMAIL: 'zebra.quartz@example.org', PASSWORD: 'Maple-Fjord-5512' };
const settings = { flowSpecs: { allowPrivateHosts: [site.host], expectMs: 1_000 } };
const recipes = { recipes: 'flows/**/*.flowspec.json', browser: { name: 'chromium', headed: false } };

test('one flow-spec passes, another fails at the line of its step, and no file contains their secrets', async () => {
  const steps = signup.steps.map((step) => (step.kind === 'url_contains' ? { ...step, value: '/nowhere' } : step));
  const project = vitestProject(
    {
      'recipewright.config.mjs': `export default ${JSON.stringify(settings)};\n`,
      'flows/signup.flowspec.json': signup,
      'flows/wrong.flowspec.json': { ...signup, name: 'It fails', steps },
    },
    { recipes },
  );
  const run = await project.run([], { env });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 1 });
  const passed = packageOf(run, 'flows/signup');
  expectWhole(passed);
  expect(JSON.parse(readFileSync(join(passed.dir, 'findings.json'), 'utf8'))).toMatchObject({ run: { status: 'completed' } });
  expect(packageOf(run, 'flows/wrong').summary).toMatchObject({ status: 'fail', cause_class: 'subject' });
  const line = project.lineOf('flows/wrong.flowspec.json', '/nowhere') - 3;
  expect(run.stderr).toContain(`flows/wrong.flowspec.json:${line}:`);
  expect(leaksOf(Object.values(env), project, run)).toEqual([]);
});

test('a missing secret or variable fails its test, and the package names the failure class', async () => {
  const plain = { spec_version: '1', name: 'plain', url: site.origin, steps: [{ type: 'goto', url: site.origin }] };
  const weak = { ...signup, name: 'weak', steps: [{ ...signup.steps[2], value: '{{WEAK}}' }] };
  const project = vitestProject(
    {
      'recipewright.config.mjs': `export default ${JSON.stringify(settings)};\n`,
      'flows/a.flowspec.json': signup,
      'flows/b.flowspec.json': plain,
      'flows/c.flowspec.json': weak,
      'flows/d.flowspec.json': { ...plain, name: 'unknown', steps: [{ type: 'goto', url: `${site.origin}/{{ORDER}}` }] },
    },
    { recipes },
  );
  const run = await project.run([], { env: { EMAIL: env.EMAIL, PASSWORD: '', WEAK: 'abc' } });
  expect(run).toMatchObject({ exitCode: 1, passed: 1, failed: 3 });
  expect([...run.packages].map(([id, { summary }]) => `${id} ${summary.status}`)).toEqual([
    ...['flows/a unknown', 'flows/b pass', 'flows/c unknown', 'flows/d unknown'],
  ]);
  for (const id of ['flows/a', 'flows/c', 'flows/d']) {
    const found = packageOf(run, id);
    expectManifest(found);
    expect(verifyPackage(found.dir)).toMatchObject({ status: 'verified', verdict: 'unknown', findings: [] });
    expect(found.files).toContain('recipe.json');
    expect(found.summary).toMatchObject({ cause_class: 'environment', total: 0 });
    expect(JSON.parse(readFileSync(join(found.dir, 'findings.json'), 'utf8'))).toMatchObject({
      run: { status: 'failed', failure_class: 'credential_rejected', alert: 'ask_user' },
      findings: [],
    });
  }
});
