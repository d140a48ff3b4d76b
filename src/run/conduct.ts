// Performs what the engine asks for: starts the nodes, tells the engine how they ended, and keeps every one inside its parent's step.

import { omitUndefined } from '../document/omitUndefined.js';
import { beginRun, type Decision, next, type Outcome } from '../engine/next.js';
import type { Region } from '../engine/plan.js';
import { expandKnown } from '../engine/references.js';
import type { NodeRun, Reason, RunEvent, Task } from '../engine/state.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { Phase, RecipeNode, Status } from '../recipe/recipe.js';
import { setImmediate } from '../system/clock.js';
import type { CapturedOutput } from '../system/processes/runProcess.js';
import type { HostStep } from './host.js';
import type { Job } from './job.js';
import { performNode, skipNode } from './performNode.js';
import type { RunValues, Scope } from './scope.js';
import { Stop } from './stop.js';

/** One node in flight. */
export type Flight = {
  run: NodeRun;
  stop: Stop;
  parent?: Flight;
  /** Where its output goes: the values of the region it stands in. */
  region: Scope;
  /** What it reads: the same, and its item if it has one. */
  scope: Scope;
  /** As authored, with what it inherits and the intent as a person reads it. */
  node: RecipeNode;
  /** What its children read and leave, once its body is open. */
  inside?: Scope;
  items?: readonly unknown[];
  step?: HostStep;
  phase?: Phase;
  bodyEnded?: (status: Status) => void;
  skips: Promise<void>[];
  /** The first child that failed. */
  failure?: RecipeError;
  /** The first failure inside of it that was noted while the rest ran on. */
  noted?: RecipeError;
  /** Why nothing more may start below it. */
  stopped?: string;
};

/** What nodes share while one region is conducted. */
export type Conductor = {
  job: Job;
  streams: Map<string, CapturedOutput>;
  run: RunValues;
  /** Aborted when the run is interrupted. */
  signal: AbortSignal;
  /** The first node of the region that failed. */
  failure?: RecipeError;
  /** Tells the engine, at once and in the order of the journal; what follows from it starts when `go` is called. */
  tell(event: RunEvent): { go(): void };
  /** How many nodes there are that have begun and not ended. */
  inFlight(): number;
  /** Why the engine ended the run before its end. */
  reason(): Reason | undefined;
  /** Stops what is in flight inside a node and lets nothing more start there. */
  stopBelow(flight: Flight, why: string): void;
};

/** Then signals and timers have their turn, ms: nodes that are all done at once would keep them waiting to the end of the run. */
const longestHold = 50;

/** `fault` is a failure of our own. */
export type Conducted = Outcome & { failure?: RecipeError; fault?: true };

export function conduct(job: Job, region: Region, run: RunValues, signal: AbortSignal): Promise<Conducted> {
  const { root } = run;
  const state = beginRun(region, job.loaded.plan.limits);
  const flights = new Map<string, Flight>();
  const cancelled = new Set<string>();
  const queue: Task[] = [];
  let isLaunching = false;
  return new Promise((resolve, reject) => {
    const go = ({ tasks, cancel, done }: Decision): void => {
      for (const path of cancel) {
        cancelled.add(path);
        flights.get(path)?.stop.abort(signal.aborted ? signal.reason : 'another node ended the run');
      }
      queue.push(...tasks);
      if (!isLaunching) launchAll();
      if (!done) return;
      signal.removeEventListener('abort', stop);
      resolve(conductor.failure ? { ...done, failure: conductor.failure } : done);
    };
    // What follows from a node that is done at once starts from here, too, and not from inside of that node.
    const launchAll = (): void => {
      isLaunching = true;
      const restAt = job.clock.now() + longestHold;
      try {
        for (let task = queue.shift(); task; task = queue.shift()) {
          launch(task);
          if (job.clock.now() > restAt) return void setImmediate(launchAll);
        }
      } catch (thrown) {
        reject(thrown);
      }
      isLaunching = false;
    };
    const tell: Conductor['tell'] = (event) => {
      const decision = next(state, event);
      return { go: () => go(decision) };
    };
    const stop = (): void =>
      tell({ t: 'stop', reason: { code: 'run.interrupted', message: `The run was interrupted: ${signal.reason}.` } }).go();
    const stopBelow: Conductor['stopBelow'] = (flight, why) => {
      flight.stopped = why;
      for (const other of flights.values()) if (isStopped(other.parent)) other.stop.abort(why);
    };
    const conductor: Conductor = {
      ...{ job, streams: new Map(), run, signal, tell, stopBelow },
      inFlight: () => flights.size,
      reason: () => state.ending?.reason,
    };
    const launch = (task: Task): void => {
      const { path, parent: parentPath } = task.run;
      const parent = parentPath === undefined ? undefined : flights.get(parentPath);
      const within = parent?.step?.within ?? here;
      if (task.do === 'finish') endBody(flights.get(path), task.body).catch(reject);
      // Stopped between the decision to start it and the start: it never began.
      else if (cancelled.has(path) || isStopped(parent)) tell({ t: 'settled', path, status: 'unknown', final: true }).go();
      else if (task.do === 'skip') {
        const skipped = within(() => skipNode(conductor, takeOff(task.run, parent, root), task.reason));
        parent?.skips.push(skipped);
        skipped.catch(reject);
      } else {
        const flight = takeOff(task.run, parent, root);
        flights.set(path, flight);
        const ended = (): boolean => flights.delete(path);
        const performed = within(() => performNode(conductor, flight));
        if (performed instanceof Promise) performed.then(ended, reject);
        else ended();
      }
    };
    tell({ t: 'start' }).go();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function here<T>(body: () => T): T {
  return body();
}

function isStopped(flight: Flight | undefined): boolean {
  return flight !== undefined && (flight.stopped !== undefined || isStopped(flight.parent));
}

async function endBody(flight: Flight | undefined, status: Status): Promise<void> {
  await Promise.all(flight?.skips ?? []);
  flight?.bodyEnded?.(status);
}

function takeOff(run: NodeRun, parent: Flight | undefined, root: Scope): Flight {
  const region = parent?.inside ?? root;
  const scope = run.item === undefined ? region : region.forItem(parent?.items?.[run.item]);
  const flight: Flight = { run, node: nodeOf(run, parent, scope), stop: new Stop(), region, scope, skips: [] };
  if (parent) flight.parent = parent;
  return flight;
}

// Children inherit the claim of the node around them; an end proves nothing of its own.
function nodeOf({ node: { recipe, next } }: NodeRun, parent: Flight | undefined, scope: Scope): RecipeNode {
  const inherits = recipe.proofTarget === undefined && next.kind !== 'end';
  const { proofTarget, proves } = prepares(recipe, parent) ? nothing : inherits && parent ? parent.node : recipe;
  const intent = recipe.intent?.includes('{{') ? expandKnown(recipe.intent, scope.lookup(recipe.templates)) : recipe.intent;
  if (proofTarget === recipe.proofTarget && proves === recipe.proves && intent === recipe.intent) return recipe;
  return { ...recipe, proofTarget, proves, ...omitUndefined({ intent }) };
}

const nothing: Pick<RecipeNode, 'proofTarget' | 'proves'> = {};

// What prepares or cleans up proves nothing, whatever it calls: a backdoor may stand beside it.
function prepares({ pointer }: RecipeNode, parent: Flight | undefined): boolean {
  const root = parent ? rootOf(parent).node.pointer : pointer;
  if (root.startsWith('/validate/workflow/nodes/')) return false;
  return root === '/startState' || /^\/validate\/workflow\/(setup|teardown|pre_conditions)\//.test(root);
}

function rootOf(flight: Flight): Flight {
  return flight.parent ? rootOf(flight.parent) : flight;
}
