// A recipe of 100,000 nodes in a row is checked without overflow, in time that grows with its size.
import { expect, test } from 'vitest';
import { checkRead, planOf } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared } from '../support/goodDocuments.js';

const limits = { bytes: 100_000_000, depth: 64, stringBytes: 1_000_000, nodes: 200_000 };

test('checking 100,000 nodes takes at most 12 times what 10,000 take', { timeout: 300_000 }, () => {
  const [small, large] = [textOf(10_000), textOf(100_000)];
  msFor(small);
  const ratios = [0, 1, 2].map(() => msFor(large) / msFor(small));
  expect(Math.min(...ratios)).toBeLessThanOrEqual(12);
});

test('more than 10,000 nodes are refused unless the limit is raised', () => {
  const { findings } = checkRead(readDocument('long.recipe.json', textOf(10_001), limits), declared);
  expect(findings.map(({ code }) => code)).toEqual(['recipe.too_many_nodes']);
});

function msFor(text: Buffer): number {
  const started = performance.now();
  const { findings, compiled } = checkRead(readDocument('long.recipe.json', text, limits), { ...declared, limits });
  expect(findings).toEqual([]);
  expect(compiled && 'main' in planOf(compiled, declared.vocabulary)).toBe(true);
  return performance.now() - started;
}

/** Every second node reads what the one before it printed. */
function textOf(count: number): Buffer {
  const nodes: Record<string, object> = {};
  for (let index = 0; index < count - 1; index++) {
    const next = `n${index + 1}`;
    const intent = `Do the work of step ${index}`;
    nodes[`n${index}`] =
      index % 2 === 0
        ? { action: 'command', intent, cmd: 'true', next }
        : { action: 'assert_output', intent, source: `n${index - 1}`, contains: 'ok', next };
  }
  nodes[`n${count - 1}`] = { action: 'end', status: 'pass' };
  return Buffer.from(JSON.stringify({ schema_version: 1, validate: { workflow: { entry: 'n0', nodes } } }));
}
