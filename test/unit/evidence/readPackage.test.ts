// readPackage returns typed documents, and findings about unreadable ones.
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readPackage, readSummary } from '../../../src/evidence/readPackage.js';
import { directory, jsonIn } from './packages.js';
import { richPackage, richRecipe } from './richPackage.js';

test('readPackage returns all documents of a package', async () => {
  const { dir } = await richPackage();
  const { recipe, summary, trace, manifest, journal, findings } = readPackage(dir);
  expect(findings).toEqual([]);
  expect(recipe).toEqual(richRecipe);
  expect([summary, trace, manifest]).toEqual(
    ['summary', 'trace', 'artifact-manifest'].map((name) => jsonIn(dir, `${name}.json`)),
  );
  expect(journal.map(({ t }) => t)).toEqual(expect.arrayContaining(['run', 'begin', 'end']));
  expect(journal.at(-1)).toMatchObject({ t: 'end', path: '', status: 'pass' });
});

test('readPackage leaves out missing and invalid documents, and has a finding for each', async () => {
  const { dir } = await richPackage();
  rmSync(join(dir, 'trace.json'));
  writeFileSync(join(dir, 'summary.json'), '{"status":"green"}');
  appendFileSync(join(dir, 'journal.jsonl'), '{"v":1}\n');
  const { summary, trace, manifest, journal, findings } = readPackage(dir);
  expect([summary, trace]).toEqual([undefined, undefined]);
  expect([manifest?.version, journal.length > 10]).toEqual([1, true]);
  expect([...new Set(findings.map(({ code }) => code))]).toEqual([
    'artifact_package.invalid_summary',
    'artifact_package.missing_required_file',
    'package.broken_chain',
  ]);
  expect(findings.at(-1)?.place).toMatchObject({ file: join(dir, 'journal.jsonl'), line: journal.length + 1 });
});

test('readSummary returns the summary, or throws an error that names the unreadable file', async () => {
  const { dir } = await richPackage();
  expect(readSummary(dir)).toEqual(jsonIn(dir, 'summary.json'));
  rmSync(join(dir, 'summary.json'));
  expect(() => readSummary(dir)).toThrow(
    /summary\.json cannot be read after it was written .*missing_required_file.* has no summary\.json/,
  );
});

test('readPackage has a finding for a missing directory', () => {
  const dir = join(directory(), 'none');
  expect(readPackage(dir)).toMatchObject({ journal: [], findings: [{ code: 'document.not_found' }] });
});

const corpus = fileURLToPath(new URL('../../../../shared/corpus/recipe-v1/packages', import.meta.url));
test.skipIf(!existsSync(corpus))('readPackage reads a package of the reference runner (needs the corpus)', () => {
  const { summary, trace, manifest, journal, findings } = readPackage(join(corpus, '727-recipe-run'));
  expect(findings).toEqual([]);
  expect([summary?.status, manifest?.runStatus, journal]).toEqual(['pass', 'pass', []]);
  expect(trace?.length).toBe(summary?.total);
});
