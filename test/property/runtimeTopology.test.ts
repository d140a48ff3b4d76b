import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalLine } from '../../src/evidence/journal.js';
import { defineAgent } from '../../src/formats/runtime/actions/projectHandlers.js';
import { agent, countMostParallel, manifest, runManifest } from '../unit/formats/runtime/runManifest.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const words = ['x', 'y', 'z'] as const;
type Word = (typeof words)[number];

/** Conditions that hold when the node returns `word`. */
const conditions = [
  (word: Word) => word,
  (word: Word) => `output == '${word}'`,
  (word: Word) => `{{ output == '${word}' }}`,
  (word: Word) => `result in ['${word}', 'other']`,
];

type Edge =
  | { kind: 'plain'; from: number; to: number }
  | { kind: 'condition'; from: number; to: number; word: Word; conditionIndex: number }
  | { kind: 'router'; from: number; mapping: Record<Word, number> };

/** Every edge leads from a lower to a higher node number. `order`: the order in the document, which is independent of the edges. */
type Topology = { gives: Word[]; edges: Edge[]; order: number[] };

const word = fc.constantFrom(...words);

const topologies: Arbitrary<Topology> = fc.integer({ min: 1, max: 9 }).chain((size) => {
  const later = (from: number) => fc.integer({ min: from + 1, max: size - 1 });
  const edge = fc.nat(Math.max(0, size - 2)).chain((from): Arbitrary<Edge> => {
    const to = later(from);
    return fc.oneof(
      fc.record({ kind: fc.constant('plain' as const), from: fc.constant(from), to }),
      fc.record({
        kind: fc.constant('condition' as const),
        from: fc.constant(from),
        to,
        word,
        conditionIndex: fc.nat(conditions.length - 1),
      }),
      fc.record({ kind: fc.constant('router' as const), from: fc.constant(from), mapping: fc.record({ x: to, y: to, z: to }) }),
    );
  });
  const numbers = Array.from({ length: size }, (_, index) => index);
  return fc.record({
    gives: fc.array(word, { minLength: size, maxLength: size }),
    edges: size === 1 ? fc.constant([]) : fc.array(edge, { maxLength: 2 * size, size: 'max' }),
    order: fc.shuffledSubarray(numbers, { minLength: size }),
  });
});

test('layers and any-edge joins decide which nodes of a runtime topology run and which are skipped', { timeout }, async () => {
  const property = fc.asyncProperty(topologies, async (topology) => {
    const ran = await runManifest(documentOf(topology), { agents: agentsOf(topology) });
    const expected = computeExpected(topology);
    expect(numbersIn(ran.executed)).toEqual(expected.executed);
    expect(numbersIn(ran.skipped)).toEqual(expected.skipped);
    expect(outOfLayer(ran.lines, expected.layers)).toEqual([]);
    expect(ran.replayed).toBeUndefined();
  });
  await fc.assert(property, runCount(120, 1_500));
});

test('a map never runs more items at once than its limit, and its results are in order', { timeout }, async () => {
  const delays = fc.array(fc.nat(4), { maxLength: 12 });
  const property = fc.asyncProperty(delays, fc.integer({ min: 1, max: 5 }), async (items, limit) => {
    const map = { id: 'm', type: 'map', items_path: 'items', processor_node_id: 'w', concurrency_limit: limit };
    const edges = [{ source_node_id: 'a', target_node_id: 'm' }];
    // The first items wait for each other, so that as many items as the limit allows run at the same time.
    const most = Math.min(limit, items.length);
    let begun = 0;
    const work = async ({ item }: { item?: unknown }) => {
      begun++;
      while (begun < most) await new Promise(setImmediate);
      for (let turn = 0; turn < Number(item); turn++) await new Promise(setImmediate);
      return [item];
    };
    const ran = await runManifest(manifest([agent('a', 'A'), map, agent('w', 'W')], edges), {
      agents: [defineAgent('A', () => ({ items })), defineAgent('W', work)],
    });
    expect(countMostParallel(ran.lines, /^topology\/m\/each\/w\[\d+\]$/)).toBe(most);
    expect(ran.output('topology/m')).toEqual(items.map((item) => [item]));
  });
  await fc.assert(property, runCount(50));
});

function documentOf({ gives, edges, order }: Topology): object {
  const nodes = order.map((number) => agent(`n${number}`, `A${number}`));
  const written = edges.map((edge) => {
    const source_node_id = `n${edge.from}`;
    if (edge.kind === 'router') {
      const mapping = Object.fromEntries(Object.entries(edge.mapping).map(([key, to]) => [key, `n${to}`]));
      return { source_node_id, router_logic: 'coreason.lib.router.identity', mapping };
    }
    const target_node_id = `n${edge.to}`;
    if (edge.kind === 'plain') return { source_node_id, target_node_id };
    return { source_node_id, target_node_id, condition: conditions[edge.conditionIndex]?.(edge.word) };
  });
  expect(gives).toHaveLength(nodes.length);
  return manifest(nodes, written);
}

// Some agents answer immediately and some later, so that the order of the answers differs from the order in the document.
function agentsOf({ gives }: Topology) {
  return gives.map((word, number) =>
    defineAgent(`A${number}`, async () => {
      for (let turn = 0; turn < (number * 7) % 5; turn++) await new Promise(setImmediate);
      return word;
    }),
  );
}

type ExpectedResult = { executed: number[]; skipped: number[]; layers: Map<number, number> };

/** Computes the layers from the roots: a layer has the nodes to which no remaining node leads. */
function computeExpected({ gives, edges }: Topology): ExpectedResult {
  const targets = (edge: Edge): number[] => (edge.kind === 'router' ? Object.values(edge.mapping) : [edge.to]);
  const remaining = new Set(gives.keys());
  const expected: ExpectedResult = { executed: [], skipped: [], layers: new Map() };
  const active = new Set<number>();
  for (let layer = 0; remaining.size > 0; layer++) {
    const now = [...remaining].filter((node) => !edges.some((edge) => remaining.has(edge.from) && targets(edge).includes(node)));
    for (const node of now) {
      const isRoot = !edges.some((edge) => targets(edge).includes(node));
      expected.layers.set(node, layer);
      remaining.delete(node);
      if (!isRoot && !active.has(node)) {
        expected.skipped.push(node);
        continue;
      }
      expected.executed.push(node);
      const word = gives[node] ?? 'x';
      for (const edge of edges.filter(({ from }) => from === node)) {
        if (edge.kind === 'router') active.add(edge.mapping[word]);
        else if (edge.kind === 'plain' || edge.word === word) active.add(edge.to);
      }
    }
  }
  return { ...expected, executed: expected.executed.sort(byNumber), skipped: expected.skipped.sort(byNumber) };
}

function numbersIn(paths: readonly string[]): number[] {
  return paths
    .flatMap((path) => /^topology\/n(\d+)$/.exec(path)?.[1] ?? [])
    .map(Number)
    .sort(byNumber);
}

/** Describes the nodes that began before all earlier layers had ended. */
function outOfLayer(lines: readonly JournalLine[], layers: ReadonlyMap<number, number>): string[] {
  const ended = new Set<number>();
  return lines.flatMap((line) => {
    const number = Number(/^topology\/n(\d+)$/.exec(line.path)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) return [];
    if (line.t === 'end') ended.add(number);
    if (line.t !== 'begin') return [];
    const before = [...layers].filter(([other, layer]) => layer < (layers.get(number) ?? 0) && !ended.has(other));
    return before.map(([other]) => `n${number} began before n${other} had ended`);
  });
}

function byNumber(a: number, b: number): number {
  return a - b;
}
