import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import type { NodeRun } from '../../src/engine/state.js';
import { Tape, tapes } from './choiceTape.js';
import { type Player, playRegion, type RunningNode, type Step, skippedIn, startedIn } from './minimalScheduler.js';
import { buildDag, type DagSpec, dagSpecs, descendants, endEventOf, numberOf, shouldRun } from './randomDag.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;

/** `dag` has no loop. An edge that is written at `place` leads back from `source` to `target`, and fires `times` times. */
type Loop = { dag: DagSpec; target: number; source: number; times: number; place: number };

test('a loop runs its target, and the nodes that lead back to it, once more than its back edge fires', { timeout }, () => {
  const property = fc.property(loops, tapes, (loop, tape) => {
    const choices = new Tape(tape);
    const steps = play(loop, (ready) => choices.oneOf(ready));
    const { inLoop, besideLoop, rounds } = partsOf(loop);
    for (const [node, visits] of countVisits(loop, steps)) {
      const most = inLoop.has(node) || besideLoop.has(node) ? rounds : 1;
      const least = inLoop.has(node) ? rounds : 1;
      expect(visits, `visits of n${node}`).toBeGreaterThanOrEqual(least);
      expect(visits, `visits of n${node}`).toBeLessThanOrEqual(most);
    }
    expect(steps.at(-1)?.decision.done).toEqual({ status: 'pass' });
  });
  fc.assert(property, runCount(800, 7_500));
});

test('when the source of a loop ends last, all nodes after the target and not after the source run in each round', {
  timeout,
}, () => {
  const property = fc.property(loops, (loop) => {
    const steps = play(loop, (ready) => ready.find(({ run }) => numberOf(run) !== loop.source) ?? ready[0]);
    const { inLoop, besideLoop, rounds } = partsOf(loop);
    for (const [node, visits] of countVisits(loop, steps)) {
      expect(visits, `visits of n${node}`).toBe(inLoop.has(node) || besideLoop.has(node) ? rounds : 1);
    }
  });
  fc.assert(property, runCount(500, 5_000));
});

test('a loop restarts at its target, and only when no node after the target is running', { timeout }, () => {
  const property = fc.property(loops, tapes, (loop, tape) => {
    const following = descendants(loop.dag, loop.target);
    const running = new Set<number>();
    const choices = new Tape(tape);
    for (const { event, decision } of play(loop, (ready) => choices.oneOf(ready))) {
      if (event.t === 'settled') running.delete(nodeAt(event.path));
      for (const { do: task, run } of decision.tasks) {
        if (numberOf(run) === loop.target) expect(following.filter((node) => running.has(node))).toEqual([]);
        if (task === 'run') running.add(numberOf(run));
      }
    }
  });
  fc.assert(property, runCount(500, 5_000));
});

test('a loop that fires once more than the limit of visits allows fails the run', { timeout }, () => {
  const closing = loops.filter((loop) => partsOf(loop).rounds > 1);
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

// Only the target may have edges from outside the loop. Otherwise another edge would be the back edge.
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
  const root = dag.endings.length;
  const target = to % root;
  const after = descendants(dag, target);
  const source = after[from % after.length] ?? target;
  const inLoop = new Set(after.filter((node) => descendants(dag, node).includes(source)));
  const otherEdges = dag.edges.filter((edge) => !inLoop.has(edge.to) || edge.to === target || inLoop.has(edge.from));
  const edges = [...otherEdges, { from: root, to: target, conditional: false, holds: true }];
  return { dag: { endings: [...dag.endings, 'pass'], edges, order: [...dag.order, root] }, target, source, times, place };
}

function partsOf({ dag, target, source, times }: Loop) {
  const following = descendants(dag, target);
  const inLoop = new Set(following.filter((node) => descendants(dag, node).includes(source)));
  const besideLoop = new Set(following.filter((node) => !inLoop.has(node) && !descendants(dag, source).includes(node)));
  const isClosed = shouldRun(dag, source) && dag.endings[source] !== 'skip';
  return { inLoop, besideLoop, rounds: isClosed ? times + 1 : 1 };
}

function play(
  loop: Loop,
  pick: (ready: readonly RunningNode[]) => RunningNode | undefined,
  visitsPerNode = loop.times + 1,
): Step[] {
  const withLoop = (holds: boolean): DagSpec => {
    const back = { from: loop.source, to: loop.target, conditional: true, holds };
    return { ...loop.dag, edges: loop.dag.edges.toSpliced(loop.place, 0, back) };
  };
  const player: Player = (ready) => {
    const { run } = pick(ready) as RunningNode;
    return endEventOf(withLoop(run.visit <= loop.times), run);
  };
  return playRegion({ region: buildDag(withLoop(false)), limits: { visitsPerNode, stepsPerRun: 1000, callDepth: 8 }, player });
}

/** Returns how often each node ran or was skipped. A node either always runs or is always skipped. */
function countVisits({ dag }: Loop, steps: readonly Step[]): [number, number][] {
  return [...dag.endings.keys()].map((node) => {
    const isThisNode = (run: NodeRun) => numberOf(run) === node;
    const [ran, skipped] = [startedIn(steps).filter(isThisNode).length, skippedIn(steps).filter(isThisNode).length];
    expect(shouldRun(dag, node) ? skipped : ran, `n${node} ${shouldRun(dag, node) ? 'is skipped' : 'runs'}`).toBe(0);
    return [node, ran + skipped];
  });
}

function nodeAt(path: string): number {
  return Number(/^n(\d+)/.exec(path)?.[1]);
}
