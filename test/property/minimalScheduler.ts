// The smallest performer: it keeps what is in flight, lets a player say what happens next, and feeds that to the engine.

import type { Decision } from '../../src/engine/advanceRun.js';
import { advanceRun, beginRun } from '../../src/engine/advanceRun.js';
import type { Limits } from '../../src/engine/limits.js';
import type { Region } from '../../src/engine/plan.js';
import type { NodeRun, RunEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';

/** `open`: its body runs, so nothing can be done with the node itself until it is told to finish. */
export type Flight = { run: NodeRun; phase: 'given' | 'open' | 'finishing'; body: Status; cancelled: boolean };

/** Picks one of the runs that can go on, and says what happens to it. */
export type Player = (ready: readonly Flight[]) => RunEvent;

export type Step = { event: RunEvent; decision: Decision };

export type Drive = { region: Region; limits: Limits; player: Player; watch?: (event: RunEvent, decision: Decision) => void };

/** A start, an interruption, and two events at most for every run that starts: a run that ends has no more. */
const mostEvents = (limits: Limits): number => 2 + 2 * limits.stepsPerRun;

export function drive({ region, limits, player, watch }: Drive): Step[] {
  const state = beginRun(region, limits);
  const flights = new Map<string, Flight>();
  const steps: Step[] = [];
  let event: RunEvent = { t: 'start' };
  while (steps.length < mostEvents(limits)) {
    const decision = advanceRun(state, event);
    steps.push({ event, decision });
    watch?.(event, decision);
    apply(flights, event, decision);
    if (decision.done) return steps;
    const ready = [...flights.values()].filter((flight) => flight.phase !== 'open');
    if (ready.length === 0) throw new Error('The run is not over, and nothing is left to do.');
    event = player(ready);
  }
  throw new Error(`The run does not end within ${mostEvents(limits)} events.`);
}

export function startedIn(steps: readonly Step[]): NodeRun[] {
  return steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'run').map((task) => task.run));
}

export function skippedIn(steps: readonly Step[]): NodeRun[] {
  return steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'skip').map((task) => task.run));
}

function apply(flights: Map<string, Flight>, event: RunEvent, { tasks, cancel }: Decision): void {
  if (event.t === 'settled') flights.delete(event.path);
  if (event.t === 'entered') flightAt(flights, event.path).phase = 'open';
  for (const task of tasks) {
    if (task.do === 'run') flights.set(task.run.path, { run: task.run, phase: 'given', body: 'pass', cancelled: false });
    if (task.do === 'finish') Object.assign(flightAt(flights, task.run.path), { phase: 'finishing', body: task.body });
  }
  for (const path of cancel) flightAt(flights, path).cancelled = true;
}

function flightAt(flights: Map<string, Flight>, path: string): Flight {
  const flight = flights.get(path);
  if (!flight) throw new Error(`The engine speaks of ${path}, which is not in flight.`);
  return flight;
}
