import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import type { NodeRun } from '../../src/engine/state.js';
import { Tape, tapes } from './choiceTape.js';
import { drive, type Flight, type Player, type Step, skippedIn, startedIn } from './minimalScheduler.js';
import { buildDag, type DagSpec, dagSpecs, descendants, fateOf, numberOf, runs } from './randomDag.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;

/** `dag` has no loop; `source` leads back to `target`, `times` times in a row, by an edge written at `place`. */
type Loop = { dag: DagSpec; target: number; source: number; times: number; place: number };

test('a loop runs its target once more than its back edge fires, and with it what leads back', { timeout }, () => {
  const property = fc.property(loops, tapes, (loop, tape) => {
    const choices = new Tape(tape);
    const steps = play(loop, (ready) => choices.oneOf(ready));
    const { inside, beside, again } = partsOf(loop);
    for (const [node, seen] of timesSeen(loop, steps)) {
      const most = inside.has(node) || beside.has(node) ? again : 1;
      const least = inside.has(node) ? again : 1;
      expect(seen, `runs of n${node}`).toBeGreaterThanOrEqual(least);
      expect(seen, `runs of n${node}`).toBeLessThanOrEqual(most);
    }
    expect(steps.at(-1)?.decision.done).toEqual({ status: 'pass' });
  });
  fc.assert(property, runCount(800, 7_500));
});

test('when the loop closes last, all that follows the target but not the source runs again each time', { timeout }, () => {
  const property = fc.property(loops, (loop) => {
    const steps = play(loop, (ready) => ready.find(({ run }) => numberOf(run) !== loop.source) ?? ready[0]);
    const { inside, beside, again } = partsOf(loop);
    for (const [node, seen] of timesSeen(loop, steps)) {
      expect(seen, `runs of n${node}`).toBe(inside.has(node) || beside.has(node) ? again : 1);
    }
  });
  fc.assert(property, runCount(500, 5_000));
});

test('what begins again begins only after the target, and never while what follows the target is in flight', { timeout }, () => {
  const property = fc.property(loops, tapes, (loop, tape) => {
    const following = descendants(loop.dag, loop.target);
    const inFlight = new Set<number>();
    const choices = new Tape(tape);
    for (const { event, decision } of play(loop, (ready) => choices.oneOf(ready))) {
      if (event.t === 'settled') inFlight.delete(nodeAt(event.path));
      for (const { do: task, run } of decision.tasks) {
        if (numberOf(run) === loop.target) expect(following.filter((node) => inFlight.has(node))).toEqual([]);
        if (task === 'run') inFlight.add(numberOf(run));
      }
    }
  });
  fc.assert(property, runCount(500, 5_000));
});

test('a loop that fires once more than the limit of visits allows fails the run', { timeout }, () => {
  const closing = loops.filter((loop) => partsOf(loop).again > 1);
  const property = fc.property(closing, tapes, (loop, tape) => {
    const choices = new Tape(tape);
    const steps = play(loop, (ready) => choices.oneOf(ready), loop.times);
    expect(steps.at(-1)?.decision.done).toMatchObject({ status: 'fail', reason: { code: 'run.too_many_visits' } });
    expect(startedIn(steps).filter((run) => numberOf(run) === loop.target)).toHaveLength(loop.times);
  });
  fc.assert(property, runCount(500));
});

const loops: Arbitrary<Loop> = fc
  .record({ dag: dagSpecs, from: fc.nat(), to: fc.nat(), times: fc.nat(4), place: fc.nat(30) })
  .map(closeLoop);

// The target is the only way into the loop and something else leads to it; otherwise another edge would be the one that leads back.
function closeLoop({
  dag,
  from,
  to,
  times,
  place,
}: {
  dag: DagSpec;
  from: number;
  to: number;
  times: number;
  place: number;
}): Loop {
  const root = dag.fates.length;
  const target = to % root;
  const after = descendants(dag, target);
  const source = after[from % after.length] ?? target;
  const inside = new Set(after.filter((node) => descendants(dag, node).includes(source)));
  const kept = dag.edges.filter((edge) => !inside.has(edge.to) || edge.to === target || inside.has(edge.from));
  const edges = [...kept, { from: root, to: target, conditional: false, holds: true }];
  return { dag: { fates: [...dag.fates, 'pass'], edges, order: [...dag.order, root] }, target, source, times, place };
}

function partsOf({ dag, target, source, times }: Loop) {
  const following = descendants(dag, target);
  const inside = new Set(following.filter((node) => descendants(dag, node).includes(source)));
  const beside = new Set(following.filter((node) => !inside.has(node) && !descendants(dag, source).includes(node)));
  const isClosed = runs(dag, source) && dag.fates[source] !== 'skip';
  return { inside, beside, again: isClosed ? times + 1 : 1 };
}

function play(loop: Loop, pick: (ready: readonly Flight[]) => Flight | undefined, visitsPerNode = loop.times + 1): Step[] {
  const withLoop = (holds: boolean): DagSpec => {
    const back = { from: loop.source, to: loop.target, conditional: true, holds };
    return { ...loop.dag, edges: loop.dag.edges.toSpliced(loop.place, 0, back) };
  };
  const player: Player = (ready) => {
    const { run } = pick(ready) as Flight;
    return fateOf(withLoop(run.visit <= loop.times), run);
  };
  return drive({ region: buildDag(withLoop(false)), limits: { visitsPerNode, stepsPerRun: 1000, callDepth: 8 }, player });
}

/** How often each node was run, or skipped; a node with fixed fates is never now run and now skipped. */
function timesSeen({ dag }: Loop, steps: readonly Step[]): [number, number][] {
  return [...dag.fates.keys()].map((node) => {
    const isIt = (run: NodeRun) => numberOf(run) === node;
    const [ran, skipped] = [startedIn(steps).filter(isIt).length, skippedIn(steps).filter(isIt).length];
    expect(runs(dag, node) ? skipped : ran, `n${node} ${runs(dag, node) ? 'is skipped' : 'runs'}`).toBe(0);
    return [node, ran + skipped];
  });
}

function nodeAt(path: string): number {
  return Number(/^n(\d+)/.exec(path)?.[1]);
}
