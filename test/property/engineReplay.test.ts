import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../../src/engine/advanceRun.js';
import { advanceRun, beginRun } from '../../src/engine/advanceRun.js';
import type { Limits } from '../../src/engine/limits.js';
import type { Region } from '../../src/engine/plan.js';
import type { RunEvent, Task } from '../../src/engine/state.js';
import { arbitraryLimits, arbitraryRegion } from './arbitraryPlan.js';
import { Tape, tapes } from './choiceTape.js';
import { playRegion } from './minimalScheduler.js';
import { buildRegion } from './planSpec.js';
import { randomPlayer } from './randomPlayer.js';
import { runCount, timeoutMs } from './runCount.js';

const timeout = timeoutMs;

test('the events of a run, read back from JSON, give the same decisions one by one', { timeout }, () => {
  const property = fc.property(arbitraryRegion, arbitraryLimits, tapes, (spec, limits, tape) => {
    const region = buildRegion(spec);
    const { events, decisions } = record({ region, limits, tape });
    const parsed = JSON.parse(JSON.stringify({ spec, limits, events })) as {
      spec: typeof spec;
      limits: Limits;
      events: RunEvent[];
    };
    expect(applyAll(region, limits, events)).toEqual(decisions);
    expect(applyAll(buildRegion(parsed.spec), parsed.limits, parsed.events)).toEqual(decisions);
  });
  fc.assert(property, runCount(1000));
});

test('two runs of one plan do not affect each other when their events alternate', { timeout }, () => {
  const property = fc.property(arbitraryRegion, arbitraryLimits, tapes, tapes, (spec, limits, tapeA, tapeB) => {
    const region = buildRegion(spec);
    const one = record({ region, limits, tape: tapeA });
    const other = record({ region, limits, tape: tapeB });
    const states = [beginRun(region, limits), beginRun(region, limits)] as const;
    for (let at = 0; at < Math.max(one.events.length, other.events.length); at++) {
      const [a, b] = [one.events[at], other.events[at]];
      if (a) expect(lines(advanceRun(states[0], a))).toEqual(one.decisions[at]);
      if (b) expect(lines(advanceRun(states[1], b))).toEqual(other.decisions[at]);
    }
  });
  fc.assert(property, runCount(500));
});

test('a second end of the same node run is refused, and changes nothing', { timeout }, () => {
  const property = fc.property(arbitraryRegion, arbitraryLimits, tapes, fc.nat(), (spec, limits, tape, choice) => {
    const region = buildRegion(spec);
    const { events, decisions } = record({ region, limits, tape });
    const settled = events.filter((event) => event.t === 'settled');
    const repeated = settled[choice % settled.length];
    if (!repeated) return;
    const state = beginRun(region, limits);
    for (const [at, event] of events.entries()) {
      expect(lines(advanceRun(state, event))).toEqual(decisions[at]);
      if (event === repeated) expect(() => advanceRun(state, event)).toThrow('is not running');
    }
  });
  fc.assert(property, runCount(500));
});

function record({ region, limits, tape }: { region: Region; limits: Limits; tape: number[] }) {
  const decisions: string[][] = [];
  const player = randomPlayer(new Tape(tape));
  const steps = playRegion({ region, limits, player, watch: (_, decision) => decisions.push(lines(decision)) });
  return { events: steps.map(({ event }) => event), decisions };
}

function applyAll(region: Region, limits: Limits, events: readonly RunEvent[]): string[][] {
  const state = beginRun(region, limits);
  return events.map((event) => lines(advanceRun(state, event)));
}

/** Formats a decision immediately, because the engine may still change the objects in it. */
function lines({ tasks, cancel, done }: Decision): string[] {
  return [...tasks.map(taskLine), ...cancel.map((path) => `cancel ${path}`), ...(done ? [`done ${JSON.stringify(done)}`] : [])];
}

function taskLine(task: Task): string {
  const { path, node, visit, attempt, item, parent, input } = task.run;
  const more = task.do === 'finish' ? task.body : task.do === 'skip' ? task.reason : '';
  return JSON.stringify([task.do, path, node.id, visit, attempt, item, parent, input, more]);
}
