import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Limits } from '../../src/engine/limits.js';
import { Tape, tapes } from './choiceTape.js';
import { type Player, playRegion, skippedIn, startedIn } from './minimalScheduler.js';
import {
  buildDag,
  type DagEdge,
  type DagSpec,
  dagSpecs,
  descendants,
  endEventOf,
  idOf,
  numberOf,
  shouldRun,
} from './randomDag.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const limits: Limits = { visitsPerNode: 1, stepsPerRun: 14, callDepth: 8 };

test('the edges of a dag decide which nodes run and which are skipped, in any order of ends', { timeout }, () => {
  const property = fc.property(dagSpecs, fc.array(tapes, { minLength: 2, maxLength: 3 }), (spec, orders) => {
    const all = [...spec.endings.keys()];
    for (const tape of orders) {
      const steps = playRegion({ region: buildDag(spec), limits, player: anyOrder(spec, tape) });
      expect(startedIn(steps).map(numberOf).sort(byNumber)).toEqual(all.filter((node) => shouldRun(spec, node)));
      expect(skippedIn(steps).map(numberOf).sort(byNumber)).toEqual(all.filter((node) => !shouldRun(spec, node)));
      expect(steps.at(-1)?.decision.done).toEqual({ status: 'pass' });
    }
  });
  fc.assert(property, runCount(800, 10_000));
});

test('a node of a dag begins in the decision in which the last of its parents settles', { timeout }, () => {
  const property = fc.property(dagSpecs, tapes, (spec, tape) => {
    const startedNodes = new Set<number>();
    const settled = new Set<number>();
    const parents = (node: number) => spec.edges.filter(({ to }) => to === node).map(({ from }) => from);
    const isDue = (node: number) => parents(node).every((parent) => settled.has(parent));
    for (const { event, decision } of playRegion({ region: buildDag(spec), limits, player: anyOrder(spec, tape) })) {
      if (event.t === 'settled') settled.add(Number(event.path.slice(1)));
      for (const { do: task, run } of decision.tasks) {
        expect(isDue(numberOf(run))).toBe(true);
        startedNodes.add(numberOf(run));
        if (task === 'skip') settled.add(numberOf(run));
      }
      expect([...spec.endings.keys()].filter((node) => isDue(node) && !startedNodes.has(node))).toEqual([]);
    }
  });
  fc.assert(property, runCount(500, 5_000));
});

test('every back edge of a dag closes a loop, and the other edges have no loop', { timeout }, () => {
  const anyEdges = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 16, size: 'max' });
  const property = fc.property(anyEdges, (pairs) => {
    const edges = pairs.map(([from, to]) => ({ from, to, conditional: false, holds: false }));
    const backs = backEdgesOf({ endings: Array.from({ length: 7 }, () => 'pass'), edges, order: [0, 1, 2, 3, 4, 5, 6] });
    const forward = edges.filter((edge) => !backs.includes(edge));
    for (const { from, to } of forward) expect(descendants({ edges: forward }, to)).not.toContain(from);
    for (const { from, to } of backs) expect(descendants({ edges: forward }, to)).toContain(from);
  });
  fc.assert(property, runCount(500, 5_000));
});

test('a dag without loops has no back edges, in any written order', { timeout }, () => {
  const property = fc.property(dagSpecs, (spec) => {
    expect(backEdgesOf(spec)).toEqual([]);
  });
  fc.assert(property, runCount(500, 5_000));
});

function anyOrder(spec: DagSpec, tape: number[]): Player {
  const choices = new Tape(tape);
  return (ready) => endEventOf(spec, choices.oneOf(ready).run);
}

function backEdgesOf(spec: DagSpec): DagEdge[] {
  const { out } = buildDag(spec);
  return spec.edges.filter((edge) => {
    const place = spec.edges.filter(({ from }) => from === edge.from).indexOf(edge);
    return out.get(idOf(edge.from))?.[place]?.back;
  });
}

function byNumber(a: number, b: number): number {
  return a - b;
}
