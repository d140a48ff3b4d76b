// A project's own way to find what a step of a flow-spec means, as a fixture of Playwright, through its own command line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from '../support/packages.js';
import { expect, test } from '../support/project.js';
import { serveSignup } from '../support/signupSite.js';

const site = await serveSignup();
const { signup, origin } = site;
const recipes = { recipes: 'flows/**/*.flowspec.json', setup: './setup.ts' };
const settings = (resolverCalls: number): Record<string, string> => {
  const flowSpecs = { allowPrivateHosts: [site.host], expectMs: 1_000, stepMs: 3_000, resolverCalls };
  return { 'recipewright.config.mjs': `export default ${JSON.stringify({ flowSpecs })};\n` };
};
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

test('the fixture targetResolver goes before the one of the setup module, only where there is a target, and is held to the cap', async ({
  project,
}) => {
  const go = { type: 'goto', url: origin };
  const click = { type: 'act', action: 'click', target: 'the teleporter' };
  const come = { type: 'expect', kind: 'url_contains', value: '/signup' };
  const flow = (name: string, steps: object[]) => ({ ...signup, name, steps: [go, ...steps], assertions: [] });
  const inner = project(
    {
      ...settings(1),
      'setup.ts': setup,
      'flows/a.flowspec.json': flow('once', [click, come]),
      'flows/b.flowspec.json': flow('twice', [click, come, go, click]),
      'flows/c.flowspec.json': flow('pinned', [{ ...click, target: undefined, selector: 'text=Sign up' }, come]),
    },
    { recipes },
  );
  const run = await inner.run();
  expect(run).toMatchObject({ exitCode: 1, passed: 2, failed: 1 });
  expect(readFileSync(join(inner.dir, 'asked.txt'), 'utf8').split('\n')).toEqual([
    ...['once is set up', 'once asks for the teleporter'],
    ...['twice is set up', 'twice asks for the teleporter', ''],
  ]);
  const found = findingsOf(packageOf(run, 'flows/a').dir);
  expect(found).toMatchObject({ steps: { 1: { resolved: { by: 'resolver' } } }, target_resolver_calls: 1 });
  expect(findingsOf(packageOf(run, 'flows/b').dir)).toMatchObject({
    run: { status: 'failed', step: 'step-5', failure_class: 'quota_exceeded', alert: 'pause' },
    target_resolver_calls: 1,
  });
});

test('without the fixture the one of the setup module is asked, and a fixture that is no resolver lets nothing pass', async ({
  project,
}) => {
  const steps = [{ type: 'act', action: 'click', target: 'the teleporter' }];
  const inner = project(
    {
      ...settings(5),
      'setup.ts': setup.replace(/export const test[\s\S]*?\n {2}\}\);\n/, ''),
      'flows/a.flowspec.json': { ...signup, steps, assertions: [] },
    },
    { recipes },
  );
  const usual = await inner.run();
  expect(usual).toMatchObject({ exitCode: 1, failed: 1 });
  expect(usual.stdout).toContain('The one of the setup module was asked.');
  inner.write({ 'setup.ts': setup.replace(/await use\(async[\s\S]*?\n {6}\}\);/, "await use('no function' as never);") });
  const wrong = await inner.run();
  expect(wrong).toMatchObject({ exitCode: 1, failed: 1 });
  expect(findingsOf(packageOf(wrong, 'flows/a').dir).run).toMatchObject({ failure_class: 'agent_uncertain' });
});
