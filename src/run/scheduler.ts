// Carries out the decisions of the engine about one region: starts the nodes, reports their ends to the engine, and runs each node as a
// child of its parent's step.
import { omitUndefined } from '../document/omitUndefined.js';
import { advanceRun, beginRun, type Decision, type Outcome } from '../engine/advanceRun.js';
import type { Region } from '../engine/plan.js';
import { expandForDisplay } from '../engine/references.js';
import type { NodeRun, Reason, RunEvent, RunState, Task } from '../engine/state.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { RecipeNode, Status } from '../recipe/recipe.js';
import { setImmediate } from '../system/clock.js';
import type { CapturedOutput } from '../system/processes/runProcess.js';
import type { Job } from './job.js';
import type { NodeExecution, Scheduler } from './node/nodeExecution.js';
import { runNode, skipNode } from './node/runNode.js';
import type { RunValues, Scope } from './node/scope.js';
import { StopSignal } from './node/withDeadline.js';

/** After this time the event loop gets a turn. Otherwise nodes that never wait would delay signals and timers until the run ends. */
const maxBlockMs = 50;

/** `fault`: recipewright itself has failed. */
export type RegionOutcome = Outcome & { failure?: RecipeError; fault?: true };

export function runRegion(job: Job, region: Region, run: RunValues, signal: AbortSignal): Promise<RegionOutcome> {
  return new RegionScheduler(job, region, run, signal).runRegion();
}

class RegionScheduler implements Scheduler {
  readonly streams = new Map<string, CapturedOutput>();
  failure?: RecipeError;
  private readonly state: RunState;
  private readonly executions = new Map<string, NodeExecution>();
  /** The paths of the nodes that the engine cancelled. */
  private readonly cancelled = new Set<string>();
  private readonly queue: Task[] = [];
  private isLaunching = false;
  private lastPause: number;
  private resolve: (outcome: RegionOutcome) => void = () => undefined;
  private reject: (thrown: unknown) => void = () => undefined;

  constructor(
    readonly job: Job,
    region: Region,
    readonly run: RunValues,
    readonly signal: AbortSignal,
  ) {
    this.state = beginRun(region, job.loaded.plan.limits);
    this.lastPause = job.clock.now();
  }

  async runRegion(): Promise<RegionOutcome> {
    const outcome = new Promise<RegionOutcome>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.sendEvent({ t: 'start' }).proceed();
    if (this.signal.aborted) this.stop();
    else this.signal.addEventListener('abort', this.stop, { once: true });
    try {
      return await outcome;
    } finally {
      this.signal.removeEventListener('abort', this.stop);
    }
  }

  readonly sendEvent = (event: RunEvent): { proceed(): void } => {
    const decision = advanceRun(this.state, event);
    return { proceed: () => this.applyDecision(decision) };
  };

  readonly endReason = (): Reason | undefined => this.state.ending?.reason;

  readonly stopBelow = (execution: NodeExecution, why: string): void => {
    execution.stopReason = why;
    for (const running of this.executions.values()) if (isStopped(running.parent)) running.stop.abort(why);
  };

  private readonly stop = (): void => {
    const message = `The run was interrupted: ${this.signal.reason}.`;
    this.sendEvent({ t: 'stop', reason: { code: 'run.interrupted', message } }).proceed();
  };

  private applyDecision({ tasks, cancel, done }: Decision): void {
    for (const path of cancel) {
      this.cancelled.add(path);
      this.executions.get(path)?.stop.abort(this.signal.aborted ? this.signal.reason : 'another node ended the run');
    }
    this.queue.push(...tasks);
    this.launchAll().catch(this.reject);
    if (done) this.resolve(this.failure ? { ...done, failure: this.failure } : done);
  }

  private async launchAll(): Promise<void> {
    if (this.isLaunching) return;
    this.isLaunching = true;
    for (let task = this.queue.shift(); task; task = this.queue.shift()) {
      if (this.job.clock.now() - this.lastPause > maxBlockMs) await this.pause();
      this.launch(task);
    }
    this.isLaunching = false;
  }

  private async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.lastPause = this.job.clock.now();
  }

  private launch(task: Task): void {
    const { path, parent: parentPath } = task.run;
    const parent = parentPath === undefined ? undefined : this.executions.get(parentPath);
    if (task.do === 'finish') endBody(this.executions.get(path), task.body).catch(this.reject);
    // The node was cancelled between the decision to start it and its start.
    else if (this.cancelled.has(path) || isStopped(parent))
      this.sendEvent({ t: 'settled', path, status: 'unknown', final: true }).proceed();
    else if (task.do === 'skip') this.skip(task.run, parent, task.reason);
    else this.start(task.run, parent);
  }

  private skip(run: NodeRun, parent: NodeExecution | undefined, reason: string): void {
    const execution = startExecution(run, parent, this.run.root);
    const skipped = runWithin(parent, () => skipNode(this, execution, reason));
    parent?.skips.push(skipped);
    skipped.catch(this.reject);
  }

  private start(run: NodeRun, parent: NodeExecution | undefined): void {
    const execution = startExecution(run, parent, this.run.root);
    this.executions.set(run.path, execution);
    runWithin(parent, () => runNode(this, execution)).then(() => this.executions.delete(run.path), this.reject);
  }
}

/** Calls `start` as a child of the parent's step. */
function runWithin<T>(parent: NodeExecution | undefined, start: () => T): T {
  return parent?.step ? parent.step.within(start) : start();
}

function isStopped(execution: NodeExecution | undefined): boolean {
  return execution !== undefined && (execution.stopReason !== undefined || isStopped(execution.parent));
}

async function endBody(execution: NodeExecution | undefined, status: Status): Promise<void> {
  await Promise.all(execution?.skips ?? []);
  execution?.onBodyEnd?.(status);
}

function startExecution(run: NodeRun, parent: NodeExecution | undefined, root: Scope): NodeExecution {
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

// A child inherits the claim of its parent, except an `end` node, which proves nothing.
function inheritClaim({ node: { recipe, next } }: NodeRun, parent: NodeExecution | undefined, scope: Scope): RecipeNode {
  const inherits = recipe.proofTarget === undefined && next.kind !== 'end';
  const { proofTarget, proves } = isPreparation(recipe, parent) ? noClaim : inherits && parent ? parent.node : recipe;
  const intent = recipe.intent?.includes('{{') ? expandForDisplay(recipe.intent, scope.lookup(recipe.templates)) : recipe.intent;
  if (proofTarget === recipe.proofTarget && proves === recipe.proves && intent === recipe.intent) return recipe;
  return { ...recipe, proofTarget, proves, ...omitUndefined({ intent }) };
}

const noClaim: Pick<RecipeNode, 'proofTarget' | 'proves'> = {};

// Nodes of setup, start state and teardown prove nothing, even inside a flow, because a backdoor may have changed the state before them.
function isPreparation(node: RecipeNode, parent: NodeExecution | undefined): boolean {
  const { section } = parent ? rootExecution(parent).node : node;
  return section !== 'graph' && section !== 'flow';
}

function rootExecution(execution: NodeExecution): NodeExecution {
  return execution.parent ? rootExecution(execution.parent) : execution;
}
