import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordedEvent, replayRegion } from '../../src/engine/replay.js';
import type { NodeRun } from '../../src/engine/state.js';
import { arbitraryLimits, arbitraryRegion } from './arbitraryPlan.js';
import { Tape, tapes } from './choiceTape.js';
import { playRegion, type Step } from './minimalScheduler.js';
import { buildRegion, type RegionSpec } from './planSpec.js';
import { randomPlayer } from './randomPlayer.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const arbitraryRun = fc.tuple(arbitraryRegion.map(asRecipe), arbitraryLimits, tapes);

test('the journal of a run that was not interrupted replays to the same end, line for line', { timeout }, () => {
  const property = fc.property(arbitraryRun, ([spec, limits, tape]) => {
    const region = buildRegion(spec);
    const steps = playRegion({ region, limits, player: randomPlayer(new Tape(tape)) });
    fc.pre(!steps.some(({ event }) => event.t === 'stop'));
    const journal = steps.flatMap(linesOf);
    expect(replayRegion(region, limits, journal)).toEqual({ lines: journal.length, done: steps.at(-1)?.decision.done });
  });
  fc.assert(property, runCount(1000));
});

test('a replay stops at the first line about a node that the engine did not start', { timeout }, () => {
  const property = fc.property(arbitraryRun, fc.nat(), ([spec, limits, tape], choice) => {
    const region = buildRegion(spec);
    const journal = untilStop(playRegion({ region, limits, player: randomPlayer(new Tape(tape)) })).flatMap(linesOf);
    fc.pre(journal.length > 0);
    const at = choice % journal.length;
    const forged = journal.with(at, { ...(journal[at] as RecordedEvent), path: 'unknown' });
    expect(replayRegion(region, limits, forged)).toMatchObject({ lines: at, difference: expect.stringContaining('unknown') });
  });
  fc.assert(property, runCount(500));
});

test('a replay of a journal with dropped, doubled or moved lines returns a result, and never throws', { timeout }, () => {
  const property = fc.property(arbitraryRun, fc.array(fc.nat(), { minLength: 1 }), ([spec, limits, tape], picks) => {
    const region = buildRegion(spec);
    const journal = playRegion({ region, limits, player: randomPlayer(new Tape(tape)) }).flatMap(linesOf);
    const shuffled = picks.flatMap((pick) => journal.slice(pick % journal.length, (pick % journal.length) + 3));
    for (const lines of [shuffled, [...journal.slice(0, picks.length), ...shuffled]])
      expect(replayRegion(region, limits, lines).lines).toBeLessThanOrEqual(lines.length);
  });
  fc.assert(property, runCount(500));
});

/** Cuts the steps at a stop, because a journal does not record a stop, and the steps after it do not follow from the lines. */
function untilStop(steps: Step[]): Step[] {
  const at = steps.findIndex(({ event }) => event.t === 'stop');
  return at === -1 ? steps : steps.slice(0, at);
}

/** Puts a region into a walk, because the root of a recipe is a walk. */
function asRecipe(body: RegionSpec): RegionSpec {
  return { kind: 'walk', nodes: [{ onFail: 'stop', attempts: 1, next: { end: 'pass' }, recover: null, body }] };
}

/** Turns a step into journal lines. Leaves out the begin of a node without a body, because the engine does not need it. */
function linesOf({ event, decision }: Step): RecordedEvent[] {
  const skips = decision.tasks.flatMap((task) => (task.do === 'skip' ? skippedLines(task.run) : []));
  if (event.t === 'entered') return [{ t: 'begin', path: event.path, runs: true, items: event.items }, ...skips];
  if (event.t !== 'settled') return skips;
  const { t: _, ...ending } = event;
  return [{ t: 'end', ...ending }, ...skips];
}

function skippedLines({ path }: NodeRun): RecordedEvent[] {
  return [
    { t: 'begin', path, runs: false },
    { t: 'end', path, status: 'skip' },
  ];
}
