import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Limits } from '../../src/engine/limits.js';
import { Tape, tapes } from './choiceTape.js';
import { foretell } from './expectedOutcome.js';
import { drive, type Step, startedIn } from './minimalScheduler.js';
import type { OnFail } from './planSpec.js';
import { possible } from './possibleOutcomes.js';
import { runCount, timeoutMs } from './runCount.js';
import { buildScopes, type ScopeRegion, scopeRegions } from './scope.js';
import { scopePlayer } from './scopePlayer.js';

const timeout = timeoutMs;
const limits: Limits = { visitsPerNode: 1, stepsPerRun: 10_000, callDepth: 8 };
const anyReaction = fc.constantFrom<OnFail[]>('stop', 'stop', 'stop', 'continue', 'continue', 'abort');
const neverAbort = fc.constantFrom<OnFail[]>('stop', 'continue');
const attempts = fc.constantFrom(1, 1, 2, 3);
const every: ScopeRegion['kind'][] = ['walk', 'turn', 'chain', 'side', 'each'];

test('one child after the other, what starts, how each body ends and the verdict are as foretold', { timeout }, () => {
  const regions = scopeRegions({ onFail: anyReaction, attempts, limit: fc.constant(1), kinds: every });
  const property = fc.property(regions.filter(hasItems), tapes, (region, tape) => {
    const steps = play(region, tape);
    const { starts, bodies, status } = foretell(region);
    expect(startedIn(steps).map(({ path }) => path)).toEqual(starts);
    expect(bodiesIn(steps)).toEqual(bodies);
    expect(steps.at(-1)?.decision.done).toEqual({ status });
  });
  fc.assert(property, runCount(800, 10_000));
});

test('side by side without retries or aborts, the same starts and the same verdict come in any order', { timeout }, () => {
  const regions = scopeRegions({ onFail: neverAbort, attempts: fc.constant(1), limit: fc.constant(8), kinds: every });
  const property = fc.property(regions.filter(hasItems), tapes, tapes, (region, ...orders) => {
    const { starts, bodies, status } = foretell(region);
    for (const tape of orders) {
      const steps = play(region, tape);
      expect(pathsIn(steps).sort()).toEqual(starts.sort());
      expect(bodiesIn(steps).sort()).toEqual(bodies.sort());
      expect(steps.at(-1)?.decision.done).toEqual({ status });
    }
  });
  fc.assert(property, runCount(800, 7_500));
});

test('in any order and with any limit, nothing starts that a failure holds back, and the verdict is a possible one', {
  timeout,
}, () => {
  const regions = scopeRegions({ onFail: anyReaction, attempts, limit: fc.integer({ min: 1, max: 4 }), kinds: every });
  const property = fc.property(regions.filter(hasItems), tapes, (region, tape) => {
    const steps = play(region, tape);
    const { may, must, statuses, aborts } = possible(region);
    const started = new Set(pathsIn(steps));
    expect([...started].filter((path) => !may.has(path))).toEqual([]);
    expect([...statuses]).toContain(steps.at(-1)?.decision.done?.status);
    if (aborts.size === 0) expect([...must].filter((path) => !started.has(path))).toEqual([]);
  });
  fc.assert(property, runCount(800, 10_000));
});

function play(region: ScopeRegion, tape: number[]): Step[] {
  const built = buildScopes(region);
  return drive({ region: built.region, limits, player: scopePlayer(built, new Tape(tape)) });
}

function pathsIn(steps: readonly Step[]): string[] {
  return startedIn(steps).map(({ path }) => path);
}

function bodiesIn(steps: readonly Step[]): string[] {
  const finishes = steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'finish'));
  return finishes.map(({ run, body }) => `${run.path} ${body}`);
}

/** The root has no items to count. */
function hasItems({ kind }: ScopeRegion): boolean {
  return kind !== 'each';
}
