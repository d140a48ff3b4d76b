// `recipewright run` of flow-specs: exit codes, output and packages.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { cliProject, type Ended } from '../support/cli.js';
import { expectManifest } from '../support/evidence.js';
import { leaksOf } from '../support/leaksOf.js';
import { readPackage } from '../support/packages.js';
import { recipe, say } from '../support/recipe.js';
import { serveSignup } from '../support/signupSite.js';

const site = await serveSignup();
afterAll(() => site.close());
afterEach(() => void vi.unstubAllEnvs());
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const env: Record<string, string> = { EMAIL: 'zebra.quartz@example.org', PASSWORD: 'Maple-Fjord-5512' };

async function run(
  spec: object,
  inputEnv: Record<string, string> = env,
  more: readonly string[] = [],
  prepare: (dir: string) => void = () => undefined,
): Promise<Ended & { dir: string }> {
  // Only the conditions of the example become true. The others get short timeouts.
  const waits = spec === site.signup ? { expectMs: 60_000, stepMs: 60_000 } : { expectMs: 500, stepMs: 8_000 };
  const flowSpecs = { allowPrivateHosts: [site.host], ...waits };
  const project = cliProject({ 'package.json': {}, 'a.flowspec.json': spec });
  symlinkSync(modules, join(project.dir, 'node_modules'));
  prepare(project.dir);
  writeFileSync(join(project.dir, 'recipewright.config.mjs'), `export default ${JSON.stringify({ flowSpecs })};\n`);
  for (const name of Object.keys(env)) vi.stubEnv(name, inputEnv[name] ?? '');
  return { dir: project.dir, ...(await project.run('run', '--recipe', 'a.flowspec.json', '--artifacts-dir', 'out', ...more)) };
}

const findingsIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'out/findings.json'), 'utf8'));
const order = { type: 'expect', kind: 'text_contains', value: '{{ORDER}}' };
const withStep = (step: object) => ({ ...site.signup, steps: [site.signup.steps[0], step], assertions: [] });

describe('recipewright run', () => {
  test('run passes for the example flow-spec, and no secret leaves the run', async () => {
    const ended = await run(site.signup);
    expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('Type "<PASSWORD>" into the password field')]);
    expect(findingsIn(ended.dir)).toMatchObject({ run: { status: 'completed' }, findings: [] });
    expect(leaksOf(Object.values(env), { dir: join(ended.dir, 'out') }, ended)).toEqual([]);
  });

  test.for([
    [{ type: 'expect', kind: 'url_contains', value: '/nowhere' }, 'assertion_failed', 'alert', 1],
    [{ type: 'act', action: 'click', target: 'the teleport button' }, 'spec_step_unresolvable', 're_review', 1],
    [{ type: 'goto', url: 'https://example.org/' }, 'spec_step_unresolvable', 're_review', 1],
  ] as const)('run reports the failure class of the step %j', async ([step, failure, alert, exitCode]) => {
    const ended = await run(withStep(step));
    expect(ended.exitCode).toBe(exitCode);
    expect(findingsIn(ended.dir).run).toMatchObject({ status: 'failed', step: 'step-2', failure_class: failure, alert });
  });

  test.for([
    ['a secret', site.signup, 'The secret "PASSWORD" has no value', ''],
    ['a secret that can be masked', site.signup, 'The secret "PASSWORD" cannot be masked', 'abc'],
    [
      ...['a variable', withStep({ type: 'expect', kind: 'text_contains', value: '{{ORDER}}' })],
      ...['steps[1].value refers to {{ORDER}}', ''],
    ],
  ] as [string, object, string, string][])(
    'run without %s starts no browser, and writes a package with the failure',
    async ([...[, spec, why, PASSWORD]]) => {
      const addFakeBrowser = (dir: string) => writeFileSync(join(dir, 'browser'), '#!/bin/sh\n> started\n', { mode: 0o755 });
      const ended = await run(spec, { EMAIL: 'zebra.quartz@example.org', PASSWORD }, ['--browser', './browser'], addFakeBrowser);
      expect([ended.exitCode, existsSync(join(ended.dir, 'started'))]).toEqual([3, false]);
      expect(ended.stderr).toContain('The flow did not start: credential_rejected. Ask the user for credentials that work');
      const found = readPackage(join(ended.dir, 'out'));
      expectManifest(found);
      expect(verifyPackage(found.dir)).toMatchObject({ status: 'verified', verdict: 'unknown', findings: [] });
      expect(found.summary).toMatchObject({ status: 'unknown', cause_class: 'environment', total: 0 });
      const { run: flowRun, steps } = findingsIn(ended.dir);
      expect(flowRun).toMatchObject({ status: 'failed', failure_class: 'credential_rejected', alert: 'ask_user' });
      expect(flowRun.message).toContain(why);
      expect(new Set(steps.map(({ status }: { status: string }) => status))).toEqual(new Set(['skipped']));
      expect(leaksOf(Object.values(env), { dir: join(ended.dir, 'out') }, ended)).toEqual([]);
    },
  );

  test('verify detects changed findings of a run that did not start', async () => {
    const refused = join((await run(site.signup, {})).dir, 'out');
    const findings = join(refused, 'findings.json');
    const text = readFileSync(findings, 'utf8');
    writeFileSync(findings, text.replace('credential_rejected', 'agent_uncertain'));
    expect(verifyPackage(refused)).toMatchObject({ status: 'invalid', findings: [{ code: 'package.digest_mismatch' }] });
  });

  test('run without a secret does not write into a directory that is not empty', async () => {
    const ended = await run(site.signup, {}, [], (dir) => {
      mkdirSync(join(dir, 'out'));
      writeFileSync(join(dir, 'out/notes.txt'), 'mine');
    });
    expect([ended.exitCode, readdirSync(join(ended.dir, 'out'))]).toEqual([2, ['notes.txt']]);
    expect(ended.stderr).toContain('run.directory_not_empty');
    expect(ended.stderr).toContain('credential_rejected');
  });

  test.for([
    ['a secret', site.signup, 'inputs.missing_secret'],
    ['a variable', withStep({ type: 'expect', kind: 'text_contains', value: '{{ORDER}}' }), 'flow_spec.unknown_variable'],
  ] as const)('run --json without %s prints the failure class', async ([, spec, code]) => {
    const ended = await run(spec, {}, ['--json']);
    expect(ended.exitCode).toBe(3);
    const result = { status: 'unknown', failure_class: 'credential_rejected', alert: 'ask_user' };
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ...result,
      artifactsDir: join(ended.dir, 'out'),
      findings: expect.arrayContaining([expect.objectContaining({ code })]),
    });
  });

  test.for([
    ['all of its variables', site.signup],
    ['a missing variable', { ...site.signup, steps: [...site.signup.steps, order] }],
  ] as const)('a flow-spec that contains its secret, with %s, is refused without a package', async ([, spec]) => {
    const ended = await run({ ...spec, name: env.PASSWORD }, env);
    expect([ended.exitCode, existsSync(join(ended.dir, 'out'))]).toEqual([2, false]);
    expect(ended.stderr).toContain('inputs.secret_in_recipe');
  });

  test('run --json prints no failure class for an invalid flow-spec and for another recipe', async () => {
    const wrong = await run({ ...site.signup, steps: [{ type: 'fly' }] }, {}, ['--json']);
    const inputs = { EMAIL: { type: 'secret-ref', ref: 'env:EMAIL' } };
    const other = await run(recipe({ greet: say('hello') }, { inputs }), {}, ['--json']);
    for (const [ended, exitCode] of [
      [wrong, 2],
      [other, 3],
    ] as const) {
      expect([ended.exitCode, Object.keys(JSON.parse(ended.stdout))]).toEqual([exitCode, ['status', 'findings']]);
      expect(ended.stderr).not.toContain('did not begin');
    }
  });
});
