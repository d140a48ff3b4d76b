// A recipe of 100,000 nodes in a row is checked without overflow, in time that grows with its size.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { checkRead, planOf } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared } from '../support/goodDocuments.js';
import { longRecipe } from '../support/longRecipe.js';

const folder = mkdtempSync(join(tmpdir(), 'long-recipe-'));
afterAll(() => rmSync(folder, { recursive: true }));

const limits = { bytes: 100_000_000, depth: 64, stringBytes: 1_000_000, nodes: 200_000 };

test('100,000 nodes are read, checked and planned without overflow', () => {
  const { findings, compiled } = checkRead(readDocument('long.recipe.json', longRecipe(100_000), limits), {
    ...declared,
    limits,
  });
  expect(findings).toEqual([]);
  expect(compiled && 'main' in planOf(compiled, declared.vocabulary)).toBe(true);
});

test('checking 100,000 nodes takes at most 12 times what 10,000 take', () => {
  const ratios = [0, 1, 2].map(() => msInProcess(100_000) / msInProcess(10_000));
  expect(Math.min(...ratios)).toBeLessThanOrEqual(12);
});

test('more than 10,000 nodes are refused unless the limit is raised', () => {
  const { findings } = checkRead(readDocument('long.recipe.json', longRecipe(10_001), limits), declared);
  expect(findings.map(({ code }) => code)).toEqual(['recipe.too_many_nodes']);
});

/** As a user has it: a process of its own checks one file. Its start is not counted. */
function msInProcess(count: number): number {
  const script = fileURLToPath(new URL('../support/timeLongRecipe.mjs', import.meta.url));
  const file = join(folder, `${count}.recipe.json`);
  writeFileSync(file, longRecipe(count));
  const { ms, findings } = JSON.parse(execFileSync(process.execPath, [script, file]).toString());
  expect(findings).toEqual([]);
  return ms;
}
