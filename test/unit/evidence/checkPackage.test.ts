// The package of a run has no findings, and every damaged package has one.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkPackage } from '../../../src/evidence/checkPackage.js';
import { type Entries, findingsAfter, formatFindings, type Json, jsonIn, realPackage, write } from './packages.js';

describe('a package of recipewright', () => {
  test('the package of a run has no findings', async () => {
    const dir = await realPackage();
    expect(checkPackage(dir)).toEqual([]);
    const ids = jsonIn(dir, 'trace.json').map(({ nodeId }: { nodeId: string }) => nodeId);
    expect(ids).toEqual(expect.arrayContaining(['setup:0', 'first/ask', 'first', 'flaky/recover', 'flaky', 'done']));
  });

  test.for([
    ['artifact-manifest.json', ['error artifact_package.missing_manifest']],
    ['summary.json', ['error artifact_package.missing_required_file', 'error artifact_manifest.missing_file /artifacts/1/path']],
    ['trace.json', ['error artifact_package.missing_required_file', 'error artifact_manifest.missing_file /artifacts/2/path']],
    ['recipe.json', ['warning artifact_package.missing_required_file', 'error artifact_manifest.missing_file /artifacts/0/path']],
  ] as const)('a package without %s has findings', async ([name, expected]) => {
    const dir = await realPackage();
    rmSync(join(dir, name));
    expect(formatFindings(checkPackage(dir)).sort()).toEqual([...expected].sort());
  });

  test.for<[what: string, change: (json: Json) => unknown, expected: string[]]>([
    ['counts too many passed entries', (json) => ({ ...json, passed: 99 }), ['error artifact_package.count_mismatch /passed']],
    [
      'counts a failure that did not happen',
      (json) => ({ ...json, failed: 1 }),
      ['error artifact_package.count_mismatch /failed'],
    ],
    [
      'has another status than the manifest',
      (json) => ({ ...json, status: 'unknown' }),
      ['error artifact_package.status_mismatch /status'],
    ],
    [
      'has another status than the manifest and the trace',
      (json) => ({ ...json, status: 'fail' }),
      ['error artifact_package.status_mismatch /status', 'error artifact_package.status_mismatch /status'],
    ],
    ['has an unknown status', (json) => ({ ...json, status: 'green' }), ['error artifact_package.invalid_summary /status']],
    ['has no counts', ({ passed: _, ...json }) => json, ['error artifact_package.invalid_summary /passed']],
  ])('a summary that %s has findings', async ([, change, expected]) => {
    expect(await findingsAfter('summary.json', change)).toEqual(expected);
  });

  test.for<[what: string, change: (entries: Entries) => unknown, expected: string]>([
    ['is a string', () => 'trace', 'error artifact_package.invalid_trace'],
    ['has an invalid entry', (list) => [...list.slice(1), 7], 'error artifact_package.invalid_trace_entry /5'],
    [
      'has an entry without "ok"',
      (list) => [{ ...list[0], ok: 'yes' }, ...list.slice(1)],
      'error artifact_package.invalid_trace_entry /0/ok',
    ],
    [
      'has an entry without a node',
      ([{ nodeId: _, ...one } = {}, ...list]) => [one, ...list],
      'error artifact_package.invalid_trace_node /0/nodeId',
    ],
    [
      'names an unknown node',
      ([one, ...list]) => [{ ...one, nodeId: 'nobody' }, ...list],
      'error artifact_package.unknown_trace_node /0/nodeId',
    ],
    [
      'names an unknown child',
      ([one, ...list]) => [{ ...one, nodeId: 'first/nobody' }, ...list],
      'error artifact_package.unknown_trace_node /0/nodeId',
    ],
    [
      'names another action',
      ([one, ...list]) => [{ ...one, action: 'wait' }, ...list],
      'error artifact_package.trace_action_mismatch /0/action',
    ],
  ])('a trace that %s has findings', async ([, change, expected]) => {
    const dir = await realPackage();
    // The first entry is of a setup node, which has no id but its position, so the test leaves it out.
    const [, ...list] = jsonIn(dir, 'trace.json') as Entries;
    write(dir, 'trace.json', list);
    write(dir, 'summary.json', { ...jsonIn(dir, 'summary.json'), total: list.length, passed: list.length });
    expect(formatFindings(checkPackage(dir))).toEqual([]);
    write(dir, 'trace.json', change(list));
    expect(formatFindings(checkPackage(dir))).toEqual([expected]);
  });

  test('a package with a failed entry does not pass', async () => {
    const found = await findingsAfter<Entries>('trace.json', (list) =>
      list.map((entry, at) => (at === 0 ? { ...entry, ok: false } : entry)),
    );
    expect(found).toEqual([
      'error artifact_package.count_mismatch /passed',
      'error artifact_package.count_mismatch /failed',
      'error artifact_package.status_mismatch /status',
    ]);
  });

  test('a package with an empty trace does not pass', async () => {
    const found = await findingsAfter<Entries>('trace.json', () => []);
    expect(found).toEqual([
      'error artifact_package.count_mismatch /total',
      'error artifact_package.count_mismatch /passed',
      'error artifact_package.status_mismatch /status',
    ]);
  });

  test.for<[what: string, recipe: unknown]>([
    ['has no workflow', { nodes: {} }],
    ['is a list', []],
    ['is a string', 'recipe'],
    ['has no nodes', { validate: { workflow: { entry: 'done', nodes: {} } } }],
    ['has an invalid node', { validate: { workflow: { entry: 'done', nodes: { done: 'end' } } } }],
    ['has an unknown entry', { validate: { workflow: { entry: 'toString', nodes: { done: { action: 'end' } } } } }],
    ['has no entry, in the modern shape', { workflow: { nodes: { done: { action: 'end' } } } }],
  ])('a recipe.json that %s is refused', async ([, recipe]) => {
    expect(await findingsAfter('recipe.json', () => recipe)).toEqual(['error artifact_package.invalid_recipe']);
  });

  test('a recipe.json with empty lists and flows is checked without an exception', async () => {
    const flows = { 'shop.ask': { workflow: { nodes: { ask: null } } } };
    const found = await findingsAfter<Json>('recipe.json', (json) => {
      const { workflow } = json.validate as { workflow: Json };
      return { ...json, proofTargets: [null], flows, validate: { workflow: { ...workflow, setup: [null], teardown: 7 } } };
    });
    expect(found).toEqual(expect.arrayContaining(['error artifact_package.trace_action_mismatch /0/action']));
  });

  test('a package with incomplete JSON or a pipe instead of a file is refused without blocking', async () => {
    const dir = await realPackage();
    writeFileSync(join(dir, 'summary.json'), '{ "status": ');
    rmSync(join(dir, 'trace.json'));
    execFileSync('mkfifo', [join(dir, 'trace.json')]);
    expect(checkPackage(dir).map(({ code }) => code)).toEqual([
      'document.invalid_json',
      'artifact_package.unreadable_file',
      'artifact_manifest.not_a_file',
    ]);
  });
});
