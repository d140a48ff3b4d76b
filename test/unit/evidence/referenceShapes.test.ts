// Packages have the shapes that the reference runner documents. These tests do not use the models of recipewright.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Json, jsonIn } from './packages.js';
import { richPackage, richRecipe } from './richPackage.js';

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
/** Returns the fields of an object in order, with the kind of each value. */
const shapeOf = (json: Json): [string, string][] => Object.entries(json).map(([key, value]) => [key, kindOf(value)]);
const entryOrder = [
  'nodeId',
  'action',
  'intent',
  'phase',
  'record',
  'artifacts',
  'startedAt',
  'endedAt',
  'durationMs',
  'ok',
  'next',
  'status',
  'output',
  'error',
];

describe('a package of recipewright', () => {
  test('every JSON file of a package is indented by two spaces and ends with a line break', async () => {
    const { dir } = await richPackage();
    for (const name of ['recipe.json', 'summary.json', 'trace.json', 'artifact-manifest.json']) {
      const text = readFileSync(join(dir, name), 'utf8');
      expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    }
    expect(jsonIn(dir, 'recipe.json')).toEqual(richRecipe);
  });

  test('the summary of a package has the fields of the reference', async () => {
    const { dir } = await richPackage();
    const [summary, trace] = [jsonIn(dir, 'summary.json'), jsonIn(dir, 'trace.json') as Json[]];
    expect(Object.fromEntries(shapeOf(summary))).toMatchObject({
      ...{ status: 'string', total: 'number', passed: 'number', failed: 'number', cause_counts: 'object' },
      ...{ startedAt: 'string', endedAt: 'string', durationMs: 'number', harness: 'object' },
    });
    expect(Object.keys(summary.cause_counts).sort()).toEqual(['environment', 'harness', 'subject', 'unknown']);
    expect(summary.harness).toEqual({
      name: 'recipewright',
      version: 'source',
      runner_protocol_version: 1,
      action_registry_version: 1,
    });
    expect([summary.total, summary.passed + summary.failed]).toEqual([trace.length, trace.length]);
    for (const stamp of [summary.startedAt, summary.endedAt]) expect(new Date(stamp).toISOString()).toBe(stamp);
  });

  test('the trace of a package lists its entries after their children, with the fields in the order of the reference', async () => {
    const trace = jsonIn((await richPackage()).dir, 'trace.json') as Json[];
    expect(trace.slice(0, 3).map(({ nodeId }) => nodeId)).toEqual(['first/ask', 'first/done', 'first']);
    for (const entry of trace) {
      const known = Object.keys(entry).filter((key) => entryOrder.includes(key));
      expect(known).toEqual(entryOrder.filter((key) => key in entry));
      expect([kindOf(entry.ok), kindOf(entry.durationMs), 'cause_class' in entry]).toEqual(['boolean', 'number', !entry.ok]);
    }
  });

  test('the manifest of a package has the system entries first, and every path once', async () => {
    const { dir } = await richPackage();
    const { version, runStatus, artifacts } = jsonIn(dir, 'artifact-manifest.json');
    expect([version, runStatus]).toEqual([1, 'pass']);
    expect(artifacts.slice(0, 3).map(({ path, type, label, category }: Json) => [path, type, label, category])).toEqual([
      ['recipe.json', 'recipe', 'Executed recipe', 'system'],
      ['summary.json', 'summary', 'Run summary', 'system'],
      ['trace.json', 'trace', 'Execution trace', 'system'],
    ]);
    const paths = artifacts.map(({ path }: { path: string }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const path of paths)
      expect([path, existsSync(join(dir, path)), /^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)/.test(path)]).toEqual([
        path,
        true,
        false,
      ]);
  });
});

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1/packages', import.meta.url));
/** Fields that a runner may leave out or add: its identity, its library and its params. */
const own = /^(runner|invocationDigest|recipeLibraries|flowResolution|completedAt|error|metadata)$/;

describe.skipIf(!existsSync(corpus))('a published package (skipped where the corpus is not beside the project)', () => {
  test.for(['727-recipe-run', 'provenance-smoke', 'documentation-onboarding'])(
    'the published package %s has the same fields as a package of recipewright',
    async (name) => {
      const { dir } = await richPackage();
      const theirs = (file: string) => jsonIn(join(corpus, name), file);
      const ours = new Map(shapeOf(jsonIn(dir, 'summary.json')));
      for (const [key, kind] of shapeOf(theirs('summary.json')).filter(([field]) => !own.test(field)))
        expect([key, ours.get(key)]).toEqual([key, kind]);
      const manifest = new Map(shapeOf(jsonIn(dir, 'artifact-manifest.json')));
      for (const [key, kind] of shapeOf(theirs('artifact-manifest.json')))
        if (key !== 'provenance') expect([key, manifest.get(key)]).toEqual([key, kind]);
      const list = theirs('trace.json');
      const entries = (Array.isArray(list) ? list : list.entries) as Json[];
      const written = new Map((jsonIn(dir, 'trace.json') as Json[]).flatMap(shapeOf));
      for (const [key, kind] of entries.flatMap(shapeOf))
        if (['action', 'startedAt', 'endedAt', 'durationMs', 'ok', 'intent'].includes(key))
          expect([key, written.get(key)]).toEqual([key, kind]);
    },
  );
});
