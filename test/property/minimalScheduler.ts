// The smallest scheduler: it knows the running nodes, lets a player choose the next event, and passes that event to the engine.

import type { Decision } from '../../src/engine/advanceRun.js';
import { advanceRun, beginRun } from '../../src/engine/advanceRun.js';
import type { Limits } from '../../src/engine/limits.js';
import type { Region } from '../../src/engine/plan.js';
import type { NodeRun, RunEvent } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';

/** `open`: the body of the node runs, so nothing happens to the node itself until its `finish` task. */
export type RunningNode = { run: NodeRun; phase: 'started' | 'open' | 'finishing'; body: Status; cancelled: boolean };

/** Chooses one of the nodes to which something can happen, and returns the event. */
export type Player = (ready: readonly RunningNode[]) => RunEvent;

export type Step = { event: RunEvent; decision: Decision };

export type RegionRun = {
  region: Region;
  limits: Limits;
  player: Player;
  watch?: (event: RunEvent, decision: Decision) => void;
};

/** A run has one start, at most one stop, and at most two events for each node that starts. */
const maxEvents = (limits: Limits): number => 2 + 2 * limits.stepsPerRun;

export function playRegion({ region, limits, player, watch }: RegionRun): Step[] {
  const state = beginRun(region, limits);
  const runningNodes = new Map<string, RunningNode>();
  const steps: Step[] = [];
  let event: RunEvent = { t: 'start' };
  while (steps.length < maxEvents(limits)) {
    const decision = advanceRun(state, event);
    steps.push({ event, decision });
    watch?.(event, decision);
    apply(runningNodes, event, decision);
    if (decision.done) return steps;
    const ready = [...runningNodes.values()].filter((node) => node.phase !== 'open');
    if (ready.length === 0) throw new Error('The run is not over, but no event is possible.');
    event = player(ready);
  }
  throw new Error(`The run does not end within ${maxEvents(limits)} events.`);
}

export function startedIn(steps: readonly Step[]): NodeRun[] {
  return steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'run').map((task) => task.run));
}

export function skippedIn(steps: readonly Step[]): NodeRun[] {
  return steps.flatMap(({ decision }) => decision.tasks.filter((task) => task.do === 'skip').map((task) => task.run));
}

function apply(runningNodes: Map<string, RunningNode>, event: RunEvent, { tasks, cancel }: Decision): void {
  if (event.t === 'settled') runningNodes.delete(event.path);
  if (event.t === 'entered') runningNodeAt(runningNodes, event.path).phase = 'open';
  for (const task of tasks) {
    if (task.do === 'run') runningNodes.set(task.run.path, { run: task.run, phase: 'started', body: 'pass', cancelled: false });
    if (task.do === 'finish') Object.assign(runningNodeAt(runningNodes, task.run.path), { phase: 'finishing', body: task.body });
  }
  for (const path of cancel) runningNodeAt(runningNodes, path).cancelled = true;
}

function runningNodeAt(runningNodes: Map<string, RunningNode>, path: string): RunningNode {
  const node = runningNodes.get(path);
  if (!node) throw new Error(`The engine named ${path}, which is not running.`);
  return node;
}
