// A forged package with matching digests still contradicts its journal or its recipe.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writePackage } from '../../../src/evidence/writePackage.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { runCount } from '../../property/runCount.js';
import { filesBelow } from '../../support/packages.js';
import { directory, jsonIn, write } from '../evidence/packages.js';
import { richPackage, richRecipe } from '../evidence/richPackage.js';
import { chainLines, type Line, linesIn, updateDigests } from './forgery.js';

describe('a forged package', () => {
  test.for<[name: string, change: (json: Record<string, never>) => unknown]>([
    ['summary.json', (json) => ({ ...json, reason: 'all is well' })],
    ['summary.json', (json) => ({ ...json, startedAt: '2020-01-01T00:00:00.000Z' })],
    ['trace.json', (json) => (json as unknown as object[]).map((entry) => ({ ...entry, durationMs: 1 }))],
  ])('a forged %s with matching digests contradicts the journal', async ([name, change]) => {
    const { dir } = await richPackage();
    write(dir, name, change(jsonIn(dir, name)));
    writeFileSync(join(dir, name), `${readFileSync(join(dir, name), 'utf8')}\n`);
    updateDigests(dir);
    const { findings } = verifyPackage(dir);
    expect(findings.map(({ code }) => code)).toContain('package.altered_file');
    expect(findings.find(({ place }) => place.file === join(dir, name))?.place.line).toBeGreaterThan(1);
  });

  test.for<[what: string, change: (lines: Line[]) => Line[], difference: RegExp]>([
    ['left out', (lines) => lines.filter(({ path }) => path !== 'keep'), /check cannot come next, only keep can/],
    ['made up', (lines) => [...lines.slice(0, -1), ...secondVisit, ...lines.slice(-1)], /check/],
    ['cut off', (lines) => [...lines.slice(0, 3), ...lines.slice(-1)], /does not reach an end that passes/],
  ])('a forged journal in which nodes are %s contradicts the recipe', async ([, change, difference]) => {
    const { dir } = await richPackage();
    const journal = chainLines(change(linesIn(dir)));
    const forged = join(directory(), 'out');
    const findArtifact = (path: string) => readFileSync(join(dir, path));
    writePackage(forged, { id: 'a', recipe: richRecipe, journal, findArtifact });
    const { findings } = verifyPackage(forged);
    expect(findings).toMatchObject([{ code: 'package.impossible_path', message: expect.stringMatching(difference) }]);
  });

  test('a forged recipe contradicts the digest in the journal', async () => {
    const { dir } = await richPackage();
    const forged = join(directory(), 'out');
    const parts = { id: 'a', journal: chainLines(linesIn(dir)), findArtifact: (path: string) => readFileSync(join(dir, path)) };
    writePackage(forged, { ...parts, recipe: { ...richRecipe, title: 'A richer recipe' } });
    expect(jsonIn(forged, 'summary.json')).toMatchObject({ status: 'unknown', reason: 'recipe.json is not the recipe that ran' });
    expect(verifyPackage(forged).findings.map(({ code }) => code)).toEqual(['package.recipe_mismatch']);
  });
});

const secondVisit: Line[] = [
  { t: 'begin', path: 'check', visit: 1, attempt: 0, action: 'assert_file' },
  { t: 'end', path: 'check', visit: 1, attempt: 0, ms: 0, ok: true },
];

test('a package with other content in any one of its files never verifies', async () => {
  const { dir } = await richPackage();
  const files = filesBelow(dir).filter((name) => name !== '.recipewright');
  const forged = join(directory(), 'out');
  const odd = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }),
    fc
      .constantFrom('', 'null', '[]', '{}', '{"artifacts":[null,{"path":7}]}', '[{"nodeId":"first"}]')
      .map((text) => Buffer.from(text)),
  );
  const property = fc.property(fc.constantFrom(...files), odd, fc.boolean(), (name, content, updatesDigests) => {
    cpSync(dir, forged, { recursive: true });
    fc.pre(!readFileSync(join(dir, name)).equals(content));
    writeFileSync(join(forged, name), content);
    if (updatesDigests && name !== 'artifact-manifest.json') updateDigests(forged);
    const { status, verdict } = verifyPackage(forged);
    expect({ status, verdict }).toEqual({ status: 'invalid', verdict: 'unknown' });
  });
  fc.assert(property, runCount(150));
});
