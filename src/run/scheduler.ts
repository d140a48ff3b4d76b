// Performs what the engine asks for: starts the nodes, tells the engine how they ended, and keeps every one inside its parent's step.

import { omitUndefined } from '../document/omitUndefined.js';
import { beginRun, type Decision, next, type Outcome } from '../engine/next.js';
import type { Region } from '../engine/plan.js';
import { expandKnown } from '../engine/references.js';
import type { NodeRun, Task } from '../engine/state.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { RecipeNode, Status } from '../recipe/recipe.js';
import { setImmediate } from '../system/clock.js';
import type { Job } from './job.js';
import type { NodeExecution, Scheduler } from './node/nodeExecution.js';
import { runNode, skipNode } from './node/runNode.js';
import type { RunValues, Scope } from './node/scope.js';
import { StopSignal } from './node/withDeadline.js';

/** Then signals and timers have their turn, ms: nodes that are all done at once would keep them waiting to the end of the run. */
const maxBlockMs = 50;

/** `fault` is a failure of our own. */
export type RegionOutcome = Outcome & { failure?: RecipeError; fault?: true };

export function runRegion(job: Job, region: Region, run: RunValues, signal: AbortSignal): Promise<RegionOutcome> {
  const { root } = run;
  const state = beginRun(region, job.loaded.plan.limits);
  const executions = new Map<string, NodeExecution>();
  const cancelled = new Set<string>();
  const queue: Task[] = [];
  let isLaunching = false;
  return new Promise((resolve, reject) => {
    const applyDecision = ({ tasks, cancel, done }: Decision): void => {
      for (const path of cancel) {
        cancelled.add(path);
        executions.get(path)?.stop.abort(signal.aborted ? signal.reason : 'another node ended the run');
      }
      queue.push(...tasks);
      if (!isLaunching) launchAll();
      if (!done) return;
      signal.removeEventListener('abort', stop);
      resolve(scheduler.failure ? { ...done, failure: scheduler.failure } : done);
    };
    // What follows from a node that is done at once starts from here, too, and not from inside of that node.
    const launchAll = (): void => {
      isLaunching = true;
      const pauseAt = job.clock.now() + maxBlockMs;
      try {
        for (let task = queue.shift(); task; task = queue.shift()) {
          launch(task);
          if (job.clock.now() > pauseAt) return void setImmediate(launchAll);
        }
      } catch (thrown) {
        reject(thrown);
      }
      isLaunching = false;
    };
    const sendEvent: Scheduler['sendEvent'] = (event) => {
      const decision = next(state, event);
      return { proceed: () => applyDecision(decision) };
    };
    const stop = (): void =>
      sendEvent({
        t: 'stop',
        reason: { code: 'run.interrupted', message: `The run was interrupted: ${signal.reason}.` },
      }).proceed();
    const stopBelow: Scheduler['stopBelow'] = (execution, why) => {
      execution.stopReason = why;
      for (const other of executions.values()) if (isStopped(other.parent)) other.stop.abort(why);
    };
    const scheduler: Scheduler = {
      ...{ job, streams: new Map(), run, signal, sendEvent, stopBelow },
      runningCount: () => executions.size,
      endReason: () => state.ending?.reason,
    };
    const launch = (task: Task): void => {
      const { path, parent: parentPath } = task.run;
      const parent = parentPath === undefined ? undefined : executions.get(parentPath);
      const within = parent?.step?.within ?? runDirectly;
      if (task.do === 'finish') endBody(executions.get(path), task.body).catch(reject);
      // Stopped between the decision to start it and the start: it never began.
      else if (cancelled.has(path) || isStopped(parent))
        sendEvent({ t: 'settled', path, status: 'unknown', final: true }).proceed();
      else if (task.do === 'skip') {
        const skipped = within(() => skipNode(scheduler, startNode(task.run, parent, root), task.reason));
        parent?.skips.push(skipped);
        skipped.catch(reject);
      } else {
        const execution = startNode(task.run, parent, root);
        executions.set(path, execution);
        const ended = (): boolean => executions.delete(path);
        const performed = within(() => runNode(scheduler, execution));
        if (performed instanceof Promise) performed.then(ended, reject);
        else ended();
      }
    };
    sendEvent({ t: 'start' }).proceed();
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function runDirectly<T>(body: () => T): T {
  return body();
}

function isStopped(execution: NodeExecution | undefined): boolean {
  return execution !== undefined && (execution.stopReason !== undefined || isStopped(execution.parent));
}

async function endBody(execution: NodeExecution | undefined, status: Status): Promise<void> {
  await Promise.all(execution?.skips ?? []);
  execution?.onBodyEnd?.(status);
}

function startNode(run: NodeRun, parent: NodeExecution | undefined, root: Scope): NodeExecution {
  const regionScope = parent?.bodyScope ?? root;
  const scope = run.item === undefined ? regionScope : regionScope.forItem(parent?.items?.[run.item]);
  const execution: NodeExecution = {
    run,
    node: inheritClaim(run, parent, scope),
    stop: new StopSignal(),
    regionScope,
    scope,
    skips: [],
  };
  if (parent) execution.parent = parent;
  return execution;
}

// Children inherit the claim of the node around them; an end proves nothing of its own.
function inheritClaim({ node: { recipe, next } }: NodeRun, parent: NodeExecution | undefined, scope: Scope): RecipeNode {
  const inherits = recipe.proofTarget === undefined && next.kind !== 'end';
  const { proofTarget, proves } = isPreparation(recipe, parent) ? noClaim : inherits && parent ? parent.node : recipe;
  const intent = recipe.intent?.includes('{{') ? expandKnown(recipe.intent, scope.lookup(recipe.templates)) : recipe.intent;
  if (proofTarget === recipe.proofTarget && proves === recipe.proves && intent === recipe.intent) return recipe;
  return { ...recipe, proofTarget, proves, ...omitUndefined({ intent }) };
}

const noClaim: Pick<RecipeNode, 'proofTarget' | 'proves'> = {};

// What prepares or cleans up proves nothing, whatever it calls: a backdoor may stand beside it.
function isPreparation(node: RecipeNode, parent: NodeExecution | undefined): boolean {
  const { section } = parent ? rootExecution(parent).node : node;
  return section !== 'graph' && section !== 'flow';
}

function rootExecution(execution: NodeExecution): NodeExecution {
  return execution.parent ? rootExecution(execution.parent) : execution;
}
