import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordedEvent, replayRegion } from '../../src/engine/replay.js';
import type { NodeRun } from '../../src/engine/state.js';
import { arbitraryLimits, arbitraryRegion } from './arbitraryPlan.js';
import { Tape, tapes } from './choiceTape.js';
import { drive, type Step } from './minimalScheduler.js';
import { buildRegion, type RegionSpec } from './planSpec.js';
import { randomPlayer } from './randomPlayer.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;
const arbitraryRun = fc.tuple(arbitraryRegion.map(asRecipe), arbitraryLimits, tapes);

test('the journal of a run that was not interrupted replays to the same end, line for line', { timeout }, () => {
  const property = fc.property(arbitraryRun, ([spec, limits, tape]) => {
    const region = buildRegion(spec);
    const steps = drive({ region, limits, player: randomPlayer(new Tape(tape)) });
    fc.pre(!steps.some(({ event }) => event.t === 'stop'));
    const journal = steps.flatMap(linesOf);
    expect(replayRegion(region, limits, journal)).toEqual({ lines: journal.length, done: steps.at(-1)?.decision.done });
  });
  fc.assert(property, runCount(1000));
});

test('a journal parts from the plan at the first line about a run the engine did not start', { timeout }, () => {
  const property = fc.property(arbitraryRun, fc.nat(), ([spec, limits, tape], choice) => {
    const region = buildRegion(spec);
    const journal = untilStop(drive({ region, limits, player: randomPlayer(new Tape(tape)) })).flatMap(linesOf);
    fc.pre(journal.length > 0);
    const at = choice % journal.length;
    const forged = journal.with(at, { ...(journal[at] as RecordedEvent), path: 'nobody' });
    expect(replayRegion(region, limits, forged)).toMatchObject({ lines: at, difference: expect.stringContaining('nobody') });
  });
  fc.assert(property, runCount(500));
});

test('a journal whose lines were dropped, doubled or moved is answered, never thrown at', { timeout }, () => {
  const property = fc.property(arbitraryRun, fc.array(fc.nat(), { minLength: 1 }), ([spec, limits, tape], picks) => {
    const region = buildRegion(spec);
    const journal = drive({ region, limits, player: randomPlayer(new Tape(tape)) }).flatMap(linesOf);
    const shuffled = picks.flatMap((pick) => journal.slice(pick % journal.length, (pick % journal.length) + 3));
    for (const lines of [shuffled, [...journal.slice(0, picks.length), ...shuffled]])
      expect(replayRegion(region, limits, lines).lines).toBeLessThanOrEqual(lines.length);
  });
  fc.assert(property, runCount(500));
});

/** The journal does not record a stop: what comes after it does not follow from the lines. */
function untilStop(steps: Step[]): Step[] {
  const at = steps.findIndex(({ event }) => event.t === 'stop');
  return at === -1 ? steps : steps.slice(0, at);
}

/** The root of a recipe is a walk. */
function asRecipe(body: RegionSpec): RegionSpec {
  return { kind: 'walk', nodes: [{ onFail: 'stop', attempts: 1, next: { end: 'pass' }, recover: null, body }] };
}

/** The begin of a node that opens no body tells the engine nothing, so it is left out. */
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
