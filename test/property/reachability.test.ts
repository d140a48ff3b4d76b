// Compares the findings about a graph with an independent computation: the transitive closure of its matrix.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkDocument } from '../../src/check/checkFile.js';
import { readDocument } from '../../src/document/readDocument.js';
import { declared } from '../support/goodDocuments.js';
import { runCount, timeoutMs } from './runCount.js';

type Spec = { size: number; entry: number; nodes: readonly ({ kind: 'end' } | { kind: 'step' | 'switch'; to: number[] })[] };

// Targets may have ids from `size` on, which do not exist.
const spec: fc.Arbitrary<Spec> = fc.integer({ min: 1, max: 12 }).chain((size) => {
  const target = fc.integer({ min: 0, max: size + (size > 2 ? 0 : 1) });
  const node = fc.oneof(
    { weight: 1, arbitrary: fc.constant({ kind: 'end' as const }) },
    { weight: 3, arbitrary: target.map((to) => ({ kind: 'step' as const, to: [to] })) },
    { weight: 2, arbitrary: fc.array(target, { minLength: 1, maxLength: 4 }).map((to) => ({ kind: 'switch' as const, to })) },
  );
  return fc.record({ size: fc.constant(size), entry: target, nodes: fc.array(node, { minLength: size, maxLength: size }) });
});

test('F8 missing targets, unreachable nodes and missing ends are the same as in an independent computation', {
  timeout: timeoutMs,
}, () => {
  const property = fc.property(spec, (graph) => {
    const { findings } = checkDocument(readDocument('g.recipe.json', Buffer.from(JSON.stringify(toRecipe(graph)))), declared);
    const reported = findings.filter(({ code }) => code in expectedFindings(graph)).map(({ code, path }) => `${code} ${path}`);
    const expected = Object.entries(expectedFindings(graph)).flatMap(([code, paths]) => paths.map((path) => `${code} ${path}`));
    expect([...new Set(reported)].sort()).toEqual(expected.sort());
  });
  fc.assert(property, runCount(2_000, 25_000));
});

const graphPath = '/validate/workflow';

function toRecipe({ entry, nodes }: Spec): object {
  const written = nodes.map((node, index) => {
    if (node.kind === 'end') return [`n${index}`, { action: 'end', status: 'pass' }];
    const intent = `Do the work of step ${index}`;
    if (node.kind === 'step') return [`n${index}`, { action: 'command', intent, cmd: 'true', next: `n${node.to[0]}` }];
    const when = { source: 'inputs', path: '$.a', operator: 'exists' };
    return [`n${index}`, { action: 'switch', intent, cases: node.to.map((to) => ({ when, next: `n${to}` })) }];
  });
  const workflow = { entry: `n${entry}`, nodes: Object.fromEntries(written) };
  return { schema_version: 1, inputs: { a: 1 }, validate: { workflow } };
}

function expectedFindings({ size, entry, nodes }: Spec): Record<string, string[]> {
  const reaches = closure(nodes, size);
  const ends = nodes.flatMap((node, index) => (node.kind === 'end' ? [index] : []));
  const entryExists = entry < size;
  const reached = (index: number): boolean => index === entry || (reaches[entry]?.[index] ?? false);
  const missing = nodes.flatMap((node, index) =>
    node.kind === 'end'
      ? []
      : node.to.flatMap((to, position) =>
          to < size ? [] : [`${graphPath}/nodes/n${index}/${node.kind === 'step' ? 'next' : `cases/${position}/next`}`],
        ),
  );
  return {
    'workflow.missing_target': missing,
    'workflow.missing_entry_node': entryExists ? [] : [`${graphPath}/entry`],
    'workflow.missing_terminal': ends.length > 0 ? [] : [`${graphPath}/nodes`],
    'workflow.no_reachable_terminal': entryExists && ends.length > 0 && !ends.some(reached) ? [`${graphPath}/nodes`] : [],
    'workflow.unreachable_node': entryExists
      ? nodes.flatMap((_, index) => (reached(index) ? [] : [`${graphPath}/nodes/n${index}`]))
      : [],
  };
}

/** Computes the transitive closure by the algorithm of Warshall. */
function closure(nodes: Spec['nodes'], size: number): boolean[][] {
  const reaches = nodes.map((node) => Array.from({ length: size }, (_, to) => node.kind !== 'end' && node.to.includes(to)));
  for (let via = 0; via < size; via++)
    for (let from = 0; from < size; from++)
      for (let to = 0; to < size; to++) {
        const row = reaches[from] as boolean[];
        row[to] ||= (row[via] ?? false) && (reaches[via]?.[to] ?? false);
      }
  return reaches;
}
