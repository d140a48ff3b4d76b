// A project's own resolver for the targets of flow-spec steps, as a Playwright fixture, with the real Playwright.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from '../support/packages.js';
import { eventMs, runMs } from '../support/patience.js';
import type { Run } from '../support/project.js';
import { testsIn } from '../support/report.js';
import { expect, shareRun, test } from '../support/sharedProject.js';
import { serveSignup } from '../support/signupSite.js';

test.describe.configure({ mode: 'default' });

const site = await serveSignup();
const { signup, origin } = site;
const flowSpecs = { allowPrivateHosts: [site.host], expectMs: eventMs, stepMs: 3_000, resolverCalls: 1 };
const findingsOf = (dir: string) => JSON.parse(readFileSync(join(dir, 'findings.json'), 'utf8'));

const setup = `
  import { appendFileSync } from 'node:fs';
  import { defineSetup } from 'recipewright';
  import { test as base } from 'recipewright/playwright';

  export const test = base.extend<{ model: string }>({
    model: async ({}, use) => use('Sign up'),
    targetResolver: async ({ model }, use, testInfo) => {
      const { title } = testInfo;
      appendFileSync('asked.txt', title + ' is set up\\n');
      await use(async ({ target, candidates }) => {
        appendFileSync('asked.txt', title + ' asks for ' + target + '\\n');
        return candidates.find(({ name }) => name === model);
      });
    },
  });

  export default defineSetup({
    targetResolver: () => { throw new Error('The one of the setup module was asked.'); },
  });
`;

const go = { type: 'goto', url: origin };
const click = { type: 'act', action: 'click', target: 'the teleporter' };
const come = { type: 'expect', kind: 'url_contains', value: '/signup' };
const flow = (name: string, steps: object[]) => ({ ...signup, name, steps, assertions: [] });

const runAll = shareRun({
  'recipewright.config.mjs': `export default ${JSON.stringify({ flowSpecs })};\n`,
  'playwright.config.ts': `
    import { defineConfig } from '@playwright/test';
    import { localChromium, recipeProject } from 'recipewright/playwright';
    const resolving = (name) => recipeProject({ name, recipes: name + '/*.flowspec.json', setup: './' + name + '.ts' });
    export default defineConfig({
      workers: 1,
      timeout: ${runMs},
      use: localChromium(),
      reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
      projects: ['fixture', 'module', 'wrong'].map(resolving),
    });`,
  'fixture.ts': setup,
  'fixture/a.flowspec.json': flow('once', [go, click, come]),
  'fixture/b.flowspec.json': flow('twice', [go, click, come, go, click]),
  'fixture/c.flowspec.json': flow('pinned', [go, { ...click, target: undefined, selector: 'text=Sign up' }, come]),
  'module.ts': setup.replace(/export const test[\s\S]*?\n {2}\}\);\n/, ''),
  'module/a.flowspec.json': flow('without a fixture', [click]),
  'wrong.ts': setup.replace(/await use\(async[\s\S]*?\n {6}\}\);/, "await use('no function' as never);"),
  'wrong/a.flowspec.json': flow('no resolver', [click]),
});
const endedIn = (run: Run) => Object.fromEntries(testsIn(run.report).map(({ title, ok }) => [title, ok]));

test('the fixture targetResolver replaces the resolver of the setup module, and is called only for steps with a target, up to the limit', async ({
  project,
}) => {
  const { inner, run } = await runAll(project);
  expect(run.exitCode).toBe(1);
  expect(endedIn(run)).toMatchObject({ once: true, twice: false, pinned: true });
  expect(readFileSync(join(inner.dir, 'asked.txt'), 'utf8').split('\n')).toEqual([
    ...['once is set up', 'once asks for the teleporter'],
    ...['twice is set up', 'twice asks for the teleporter'],
    ...['no resolver is set up', ''],
  ]);
  const found = findingsOf(packageOf(run, 'fixture/a--fixture').dir);
  expect(found).toMatchObject({ steps: { 1: { resolved: { by: 'resolver' } } }, target_resolver_calls: 1 });
  expect(findingsOf(packageOf(run, 'fixture/b--fixture').dir)).toMatchObject({
    run: { status: 'failed', step: 'step-5', failure_class: 'quota_exceeded', alert: 'pause' },
    target_resolver_calls: 1,
  });
});

test('without the fixture targetResolver, the resolver of the setup module is called, and with a fixture that is not a function no step passes', async ({
  project,
}) => {
  const { run } = await runAll(project);
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 3 });
  expect(endedIn(run)).toMatchObject({ 'without a fixture': false, 'no resolver': false });
  const usual = testsIn(run.report).find(({ title }) => title === 'without a fixture');
  expect(JSON.stringify(usual?.results[0]?.errors)).toContain('The one of the setup module was asked.');
  expect(findingsOf(packageOf(run, 'wrong/a--wrong').dir).run).toMatchObject({ failure_class: 'agent_uncertain' });
});
