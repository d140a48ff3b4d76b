import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Limits } from '../../src/engine/limits.js';
import { Tape, tapes } from './choiceTape.js';
import { computeOutcome } from './expectedOutcome.js';
import { playRegion, type Step, startedIn } from './minimalScheduler.js';
import type { OnFail } from './planSpec.js';
import { findPossibleOutcomes } from './possibleOutcomes.js';
import { runCount, timeoutMs } from './runCount.js';
import { buildScopes, type ScopeRegion, scopeRegions } from './scope.js';
import { scopePlayer } from './scopePlayer.js';

const timeout = timeoutMs;
const limits: Limits = { visitsPerNode: 1, stepsPerRun: 10_000, callDepth: 8 };
const anyReaction = fc.constantFrom<OnFail[]>('stop', 'stop', 'stop', 'continue', 'continue', 'abort');
const neverAbort = fc.constantFrom<OnFail[]>('stop', 'continue');
const attempts = fc.constantFrom(1, 1, 2, 3);
const every: ScopeRegion['kind'][] = ['walk', 'turn', 'chain', 'side', 'each'];

test('in sequence, the started nodes, the status of each body and the status of the run are as expected', { timeout }, () => {
  const regions = scopeRegions({ onFail: anyReaction, attempts, limit: fc.constant(1), kinds: every });
  const property = fc.property(regions.filter(canBeRoot), tapes, (region, tape) => {
    const steps = play(region, tape);
    const { starts, bodies, status } = computeOutcome(region);
    expect(startedIn(steps).map(({ path }) => path)).toEqual(starts);
    expect(bodiesIn(steps)).toEqual(bodies);
    expect(steps.at(-1)?.decision.done).toEqual({ status });
  });
  fc.assert(property, runCount(800, 10_000));
});

test('side by side without retries or aborts, any order leads to the same started nodes and the same status', { timeout }, () => {
  const regions = scopeRegions({ onFail: neverAbort, attempts: fc.constant(1), limit: fc.constant(8), kinds: every });
  const property = fc.property(regions.filter(canBeRoot), tapes, tapes, (region, ...orders) => {
    const { starts, bodies, status } = computeOutcome(region);
    for (const tape of orders) {
      const steps = play(region, tape);
      expect(pathsIn(steps).sort()).toEqual(starts.sort());
      expect(bodiesIn(steps).sort()).toEqual(bodies.sort());
      expect(steps.at(-1)?.decision.done).toEqual({ status });
    }
  });
  fc.assert(property, runCount(800, 7_500));
});

test('in any order and with any limit, no node starts after a failure that prevents it, and the status is a possible one', {
  timeout,
}, () => {
  const regions = scopeRegions({ onFail: anyReaction, attempts, limit: fc.integer({ min: 1, max: 4 }), kinds: every });
  const property = fc.property(regions.filter(canBeRoot), tapes, (region, tape) => {
    const steps = play(region, tape);
    const { may, must, statuses, aborts } = findPossibleOutcomes(region);
    const started = new Set(pathsIn(steps));
    expect([...started].filter((path) => !may.has(path))).toEqual([]);
    expect([...statuses]).toContain(steps.at(-1)?.decision.done?.status);
    if (aborts.size === 0) expect([...must].filter((path) => !started.has(path))).toEqual([]);
  });
  fc.assert(property, runCount(800, 10_000));
});

function play(region: ScopeRegion, tape: number[]): Step[] {
  const built = buildScopes(region);
  return playRegion({ region: built.region, limits, player: scopePlayer(built, new Tape(tape)) });
}

function pathsIn(steps: readonly Step[]): string[] {
  return startedIn(steps).map(({ path }) => path);
}

function bodiesIn(steps: readonly Step[]): string[] {
  const finishes = steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'finish'));
  return finishes.map(({ run, body }) => `${run.path} ${body}`);
}

/** The root of a run has no items, so it cannot be an `each`. */
function canBeRoot({ kind }: ScopeRegion): boolean {
  return kind !== 'each';
}
