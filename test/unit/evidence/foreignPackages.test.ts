// Findings about packages of another runner, in the classic and the modern dialect.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkPackage } from '../../../src/evidence/checkPackage.js';
import { command, directory, type Entries, formatFindings, type Json, write } from './packages.js';

describe('a package of another runner', () => {
  const modern = (nodes: Json): Json => ({ $schema: 'x', workflow: { entry: 'ask', nodes } });
  const artifacts = ['recipe', 'summary', 'trace'].map((name) => ({ path: `${name}.json`, type: name }));
  function writeForeign(recipe: Json, entries: Entries): string {
    const dir = directory();
    write(dir, 'recipe.json', recipe);
    write(dir, 'trace.json', { metadata: {}, entries });
    write(dir, 'summary.json', { status: 'pass', passed: entries.length, failed: 0, error: null });
    write(dir, 'artifact-manifest.json', { version: 1, runStatus: 'pass', artifacts });
    return dir;
  }
  const entries = ['ask', 'call/child', 'call'].map((id) => ({ id, action: id === 'ask' ? 'command' : 'call', ok: true }));

  test('a package of a modern recipe needs recipe-resolution.json, and entries of called recipes have no findings', () => {
    const dir = writeForeign(modern({ ask: command('true'), call: { action: 'call', ref: 'shop.other' } }), entries);
    expect(formatFindings(checkPackage(dir))).toEqual(['error artifact_package.missing_required_file']);
    write(dir, 'recipe-resolution.json', { schema_version: 1, dependencies: [] });
    expect(checkPackage(dir)).toEqual([]);
  });

  test('findings about a trace in an envelope have pointers below "entries"', () => {
    const dir = writeForeign(
      { schema_version: 1, validate: { workflow: { entry: 'ask', nodes: { ask: command('true') } } } },
      entries,
    );
    expect(formatFindings(checkPackage(dir))).toEqual([
      'error artifact_package.unknown_trace_node /entries/1/id',
      'error artifact_package.unknown_trace_node /entries/2/id',
    ]);
  });

  test('a node named __proto__ is found, and a missing node named constructor is not', () => {
    const recipe = JSON.parse('{"validate":{"workflow":{"entry":"__proto__","nodes":{"__proto__":{"action":"end"}}}}}');
    const dir = writeForeign(
      recipe,
      ['__proto__', 'constructor'].map((id) => ({ id, action: 'end', ok: true })),
    );
    expect(formatFindings(checkPackage(dir))).toEqual(['error artifact_package.unknown_trace_node /entries/1/id']);
  });

  test('a missing directory has a finding', () => {
    const dir = join(directory(), 'nowhere');
    expect(checkPackage(dir)).toMatchObject([{ code: 'document.not_found', message: `There is no directory ${dir}.` }]);
  });
});

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1/packages', import.meta.url));
test.skipIf(!existsSync(corpus)).for([
  ['727-recipe-run', []],
  ['provenance-smoke', []],
  ['documentation-onboarding', ['artifact_manifest.missing_file', 'artifact_manifest.missing_file']],
  ['304-command-center-local', ['artifact_package.missing_required_file', ...Array(3).fill('artifact_manifest.missing_file')]],
] as const)('the published package %s has findings for its missing files only (needs the corpus)', ([name, codes]) => {
  expect(checkPackage(join(corpus, name)).map(({ code }) => code)).toEqual(codes);
});
