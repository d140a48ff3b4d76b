// The headless actions, run on real files and processes through the plain host.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliProject } from '../../support/cli.js';
import { type Nodes, recipe, say } from '../../support/recipe.js';

type Files = Record<string, string>;

async function run(nodes: Nodes, files: Files = {}) {
  const project = cliProject({ 'a.recipe.json': recipe(nodes) });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project.dir, name, '..'), { recursive: true });
    writeFileSync(join(project.dir, name), text);
  }
  symlinkSync('/etc/hostname', join(project.dir, 'out-of-here'));
  const { exitCode } = await project.run('run', '--recipe', 'a.recipe.json', '--artifacts-dir', 'out');
  const read = (name: string) => JSON.parse(readFileSync(join(project.dir, 'out', name), 'utf8'));
  return {
    exitCode,
    summary: read('summary.json'),
    trace: read('trace.json'),
    manifest: read('artifact-manifest.json'),
    dir: project.dir,
  };
}

describe('assert_file', () => {
  const check = (more: object): Nodes => ({ a: { action: 'assert_file', path: 'r/a.txt', ...more } });

  test('assert_file passes for a file that exists and contains the string', async () => {
    const { exitCode, trace } = await run(check({ contains: 'ok' }), { 'r/a.txt': 'all ok' });
    expect(exitCode).toBe(0);
    expect(trace[0]).toMatchObject({
      output: { path: 'r/a.txt', sizeBytes: 6 },
      asserts: [{ held: true }, { operator: 'contains', held: true }],
    });
  });

  test.for<[string, object, Files, string]>([
    ['a missing file', {}, {}, 'There is no file r/a.txt.'],
    ['a missing string', { contains: 'ok' }, { 'r/a.txt': 'no' }, 'does not contain the expected text "ok"'],
    ['a directory', { path: 'r' }, { 'r/a.txt': 'x' }, 'a directory'],
    ['a link out of the project', { path: 'out-of-here' }, {}, 'is outside the project'],
  ])('assert_file fails for %s', async ([, more, files, message]) => {
    const { exitCode, trace } = await run(check(more), files);
    expect(exitCode).toBe(1);
    expect(trace[0].error).toContain(message);
    expect(trace[0].cause_class).toBe('subject');
  });
});

describe('assert_json', () => {
  const check = (assert: object): Nodes => ({ a: { action: 'assert_json', path: 'a.json', assert } });

  test.for<[string, object, Files, number]>([
    ['passes for the expected value', { path: '$.failed', operator: 'eq', value: 0 }, { 'a.json': '{"failed":0}' }, 0],
    [
      'passes for a compound assertion that holds',
      {
        all: [
          { path: '$.a[1]', operator: 'eq', value: 2 },
          { path: '$.b', operator: 'falsy' },
        ],
      },
      { 'a.json': '{"a":[1,2]}' },
      0,
    ],
    ['fails for another value', { path: '$.failed', operator: 'eq', value: 0 }, { 'a.json': '{"failed":1}' }, 1],
    ['fails for a missing path', { path: '$.nope', operator: 'neq', value: 0 }, { 'a.json': '{}' }, 1],
    ['fails for a file that is not JSON', { path: '$.a', operator: 'exists' }, { 'a.json': '{' }, 1],
    ['fails for a missing file', { path: '$.a', operator: 'exists' }, {}, 1],
  ])('assert_json %s', async ([, assert, files, code]) => {
    expect((await run(check(assert), files)).exitCode).toBe(code);
  });
});

test('assert_exit_code compares the exit code of an earlier command', async () => {
  const fails = { action: 'command', argv: ['sh', '-c', 'exit 3'], allow_failure: true };
  expect((await run({ a: fails, b: { action: 'assert_exit_code', source: 'a', expected: 3 } })).exitCode).toBe(0);
  const { exitCode, trace } = await run({ a: fails, b: { action: 'assert_exit_code', node: 'a' } });
  expect(exitCode).toBe(1);
  expect(trace[1].error).toBe('a.exitCode expected eq 0, received 3.');
});

test('state_read returns a value of an earlier output, or fails', async () => {
  const { exitCode, trace } = await run({ a: say('hi'), b: { action: 'state_read', source: 'a', path: '$.exitCode' } });
  expect(exitCode).toBe(0);
  expect(trace[1].output).toEqual({ source: 'a', path: '$.exitCode', value: 0 });
  expect((await run({ a: say('hi'), b: { action: 'state_read', source: 'a', path: '$.nope' } })).exitCode).toBe(1);
});

test('wait waits for its duration and proves nothing', async () => {
  const { summary, trace } = await run({ a: { action: 'wait', ms: 30 } });
  expect(trace[0].output).toEqual({ durationMs: 30 });
  expect(trace[0].durationMs).toBeGreaterThanOrEqual(29);
  expect(summary.status).toBe('unknown');
});

test('index_artifacts copies files of the project unchanged into the package, with their types', async () => {
  const artifacts = ['r/a.json', { path: 'r/b.log', label: 'The log', category: 'debug' }];
  const { exitCode, manifest, dir } = await run(
    { a: { action: 'index_artifacts', artifacts } },
    { 'r/a.json': '{}', 'r/b.log': 'one\n' },
  );
  expect(exitCode).toBe(0);
  expect(manifest.artifacts).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: 'r/a.json', type: 'json', nodeId: 'a', size: 2 }),
      expect.objectContaining({ path: 'r/b.log', type: 'log', label: 'The log', category: 'debug' }),
    ]),
  );
  expect(readFileSync(join(dir, 'out/r/b.log'), 'utf8')).toBe('one\n');
  const missing = await run({ a: { action: 'index_artifacts', artifacts: ['nope.txt'] } });
  expect(missing.exitCode).toBe(1);
});
