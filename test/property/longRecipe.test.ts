// A recipe of 100,000 nodes is checked without overflow. bench/run measures that the time grows linearly with the size.
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/check/checkFile.js';
import { createPlan } from '../../src/check/createPlan.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared } from '../support/goodDocuments.js';
import { longRecipe } from '../support/longRecipe.js';

const limits = { bytes: 100_000_000, depth: 64, stringBytes: 1_000_000, nodes: 200_000 };

test('a recipe of 100,000 nodes is read, checked and planned without overflow', () => {
  const { findings, compiled } = checkDocument(readDocument('long.recipe.json', longRecipe(100_000), limits), {
    ...declared,
    limits,
  });
  expect(findings).toEqual([]);
  expect(compiled && 'main' in createPlan(compiled, declared.vocabulary)).toBe(true);
});

test('a recipe of more than 10,000 nodes is refused unless the limit is raised', () => {
  const { findings } = checkDocument(readDocument('long.recipe.json', longRecipe(10_001), limits), declared);
  expect(findings.map(({ code }) => code)).toEqual(['recipe.too_many_nodes']);
});
