import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalLine } from '../../src/evidence/journal.js';
import { defineAgent } from '../../src/formats/runtime/actions/projectHandlers.js';
import { agent, countMostParallel, manifest, runManifest } from '../unit/formats/runtime/runManifest.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const words = ['x', 'y', 'z'] as const;
type Word = (typeof words)[number];

/** How a condition asks for a word that the node gives. */
const askings = [
  (word: Word) => word,
  (word: Word) => `output == '${word}'`,
  (word: Word) => `{{ output == '${word}' }}`,
  (word: Word) => `result in ['${word}', 'other']`,
];

type Edge =
  | { kind: 'plain'; from: number; to: number }
  | { kind: 'condition'; from: number; to: number; word: Word; asking: number }
  | { kind: 'router'; from: number; mapping: Record<Word, number> };

/** Node numbers grow along every edge; `order` is the order of the document, which says nothing about the edges. */
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
        asking: fc.nat(askings.length - 1),
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

test('which nodes run and which are skipped is what layers and any-edge joins make of the topology', { timeout }, async () => {
  const property = fc.asyncProperty(topologies, async (topology) => {
    const ran = await runManifest(documentOf(topology), { agents: agentsOf(topology) });
    const told = foretell(topology);
    expect(numbersIn(ran.executed)).toEqual(told.executed);
    expect(numbersIn(ran.skipped)).toEqual(told.skipped);
    expect(outOfLayer(ran.lines, told.layers)).toEqual([]);
    expect(ran.replayed).toBeUndefined();
  });
  await fc.assert(property, runCount(120, 1_500));
});

test('a map never has more in flight than its limit, and its results are in order', { timeout }, async () => {
  const delays = fc.array(fc.nat(4), { maxLength: 12 });
  const property = fc.asyncProperty(delays, fc.integer({ min: 1, max: 5 }), async (items, limit) => {
    const map = { id: 'm', type: 'map', items_path: 'items', processor_node_id: 'w', concurrency_limit: limit };
    const edges = [{ source_node_id: 'a', target_node_id: 'm' }];
    // The first ones wait for each other, so that as many as may are in flight, however the turns of this thread fall.
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
    return { source_node_id, target_node_id, condition: askings[edge.asking]?.(edge.word) };
  });
  expect(gives).toHaveLength(nodes.length);
  return manifest(nodes, written);
}

// Some answer at once and some later, so that the order of the answers is none that the document has.
function agentsOf({ gives }: Topology) {
  return gives.map((given, number) =>
    defineAgent(`A${number}`, async () => {
      for (let turn = 0; turn < (number * 7) % 5; turn++) await new Promise(setImmediate);
      return given;
    }),
  );
}

type Told = { executed: number[]; skipped: number[]; layers: Map<number, number> };

/** Takes the topology apart from its roots: those nodes are a layer that no node which is left leads to. */
function foretell({ gives, edges }: Topology): Told {
  const targets = (edge: Edge): number[] => (edge.kind === 'router' ? Object.values(edge.mapping) : [edge.to]);
  const left = new Set(gives.keys());
  const told: Told = { executed: [], skipped: [], layers: new Map() };
  const active = new Set<number>();
  for (let layer = 0; left.size > 0; layer++) {
    const now = [...left].filter((node) => !edges.some((edge) => left.has(edge.from) && targets(edge).includes(node)));
    for (const node of now) {
      const isRoot = !edges.some((edge) => targets(edge).includes(node));
      told.layers.set(node, layer);
      left.delete(node);
      if (!isRoot && !active.has(node)) {
        told.skipped.push(node);
        continue;
      }
      told.executed.push(node);
      const given = gives[node] ?? 'x';
      for (const edge of edges.filter(({ from }) => from === node)) {
        if (edge.kind === 'router') active.add(edge.mapping[given]);
        else if (edge.kind === 'plain' || edge.word === given) active.add(edge.to);
      }
    }
  }
  return { ...told, executed: told.executed.sort(byNumber), skipped: told.skipped.sort(byNumber) };
}

function numbersIn(paths: readonly string[]): number[] {
  return paths
    .flatMap((path) => /^topology\/n(\d+)$/.exec(path)?.[1] ?? [])
    .map(Number)
    .sort(byNumber);
}

/** Nodes that began before all of the layers before them had ended. */
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
