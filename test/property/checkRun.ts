// Checks every event and decision of a run, and throws at the first decision that breaks a rule of the engine.

import type { Decision } from '../../src/engine/advanceRun.js';
import type { Limits } from '../../src/engine/limits.js';
import type { Region } from '../../src/engine/plan.js';
import type { NodeRun, RunEvent, SettledEvent, Task } from '../../src/engine/state.js';
import type { Status } from '../../src/recipe/recipe.js';
import { assertRule } from './assertRule.js';
import { type ExpectedStart, formatStarts, nextAttempt } from './expectedStarts.js';
import { RegionModel, worst } from './regionModel.js';

type EndedRun = { run: NodeRun; event: SettledEvent };

export class RunChecker {
  private readonly models = new Map<string, RegionModel>();
  private readonly seenPaths = new Set<string>();
  private readonly runningNodes = new Map<string, NodeRun>();
  private readonly recovering = new Map<string, EndedRun>();
  private starts = 0;
  private ending: Status | undefined;
  /** The possible codes of the reason. Empty for a run that ends by itself or is aborted. */
  private reasons: string[] = [];
  private isOver = false;

  constructor(
    private readonly region: Region,
    private readonly limits: Limits,
  ) {}

  check(event: RunEvent, decision: Decision): void {
    assertRule(!this.isOver, 'no event after the run is done');
    const wasEnding = this.ending !== undefined;
    const model = this.modelOf(event);
    const expected = this.expectStarts(model, event);
    this.checkStarts(model, expected, decision.tasks);
    this.checkFinishes(model, decision.tasks);
    this.checkCancel(decision, wasEnding);
    this.checkDone(model, decision);
  }

  private modelOf(event: RunEvent): RegionModel {
    if (event.t === 'start') return this.openRegion('', new RegionModel(this.region, undefined, 0));
    if (event.t === 'stop') return this.modelAt(undefined);
    const run = this.runningNodeAt(event.path);
    if (event.t === 'entered' && run.node.body)
      return this.openRegion(run.path, new RegionModel(run.node.body, run, event.items ?? 0));
    return this.modelAt(run.parent);
  }

  private expectStarts(model: RegionModel, event: RunEvent): ExpectedStart[] | undefined {
    if (event.t === 'stop') return this.expectStop(event.reason.code);
    if (event.t !== 'settled') return this.mayStart(model) ? model.startsAtOpening() : [];
    const run = this.runningNodeAt(event.path);
    this.runningNodes.delete(event.path);
    model.running.delete(event.path);
    const failedAttempt = this.recovering.get(event.path);
    const passed = event.status === 'pass' || event.status === 'skip';
    if (failedAttempt)
      return passed && this.mayStart(model)
        ? [nextAttempt(failedAttempt.run)]
        : this.expectAfterFailure(model, withRecovery(failedAttempt, event));
    if (passed) return this.expectAfterChild(model, { run, event });
    const triesLeft = !event.final && run.attempt + 1 < run.node.attempts;
    return triesLeft && this.mayStart(model) ? this.expectRetry(run, event) : this.expectAfterFailure(model, { run, event });
  }

  private expectStop(reason: string): ExpectedStart[] {
    if (this.ending === undefined) this.reasons = [reason];
    this.ending ??= 'unknown';
    return [];
  }

  private expectRetry(run: NodeRun, event: SettledEvent): ExpectedStart[] {
    if (!run.node.recover) return [nextAttempt(run)];
    const path = `${run.path}/${run.node.recover.id}`;
    this.recovering.set(path, { run, event });
    return [{ path, visit: 1, input: undefined }];
  }

  private expectAfterFailure(model: RegionModel, { run, event }: EndedRun): ExpectedStart[] | undefined {
    if (run.node.onFail === 'continue' && !event.final) return this.expectAfterChild(model, { run, event });
    const status: Status = event.status === 'skip' ? 'pass' : event.status;
    model.status = worst(model.status, status);
    model.isStopped = true;
    if (run.node.onFail === 'abort') this.ending = worst(this.ending ?? 'pass', status);
    return [];
  }

  // A walk can reach its end while the run is ending, so the model must see the event even if nothing starts.
  private expectAfterChild(model: RegionModel, { run, event }: EndedRun): ExpectedStart[] | undefined {
    const expected = model.startsAfter(run, event);
    return this.mayStart(model) ? expected : [];
  }

  private checkStarts(model: RegionModel, expected: ExpectedStart[] | undefined, tasks: readonly Task[]): void {
    const runs = tasks.filter((task) => task.do === 'run').map((task) => task.run);
    if (expected)
      assertRule(
        runs.length === 0 || formatStarts(runs) === formatStarts(expected),
        `"${formatStarts(expected)}" starts, and not "${formatStarts(runs)}"`,
      );
    for (const task of tasks) if (task.do !== 'finish') this.checkStart(model, task);
    const due = expected ? expected.slice(runs.length) : this.mayStart(model) ? model.due() : [];
    if (due.length > 0) this.checkLimits(due);
    assertRule(model.running.size <= model.width, `at most ${model.width} nodes run in ${model.owner?.path ?? 'the root'}`);
    assertRule(this.starts <= this.limits.stepsPerRun, `no more than ${this.limits.stepsPerRun} runs start`);
  }

  // The engine drops all starts of a decision together, so the limits are compared with all due starts.
  private checkLimits(due: readonly ExpectedStart[]): void {
    const outOfSteps = this.starts + due.length > this.limits.stepsPerRun;
    const outOfVisits = due.some(({ visit }) => visit > this.limits.visitsPerNode);
    assertRule(outOfSteps || outOfVisits, `"${formatStarts(due)}" starts, because no limit is reached`);
    this.reasons = [...(outOfSteps ? ['run.too_many_steps'] : []), ...(outOfVisits ? ['run.too_many_visits'] : [])];
    this.ending = 'fail';
  }

  private checkStart(model: RegionModel, { do: as, run }: Task): void {
    assertRule(this.mayStart(model), `${run.path} does not start: its region was stopped, or the run is ending`);
    assertRule(run.parent === model.owner?.path, `${run.path} starts in the region of the event`);
    assertRule(!this.seenPaths.has(run.path), `${run.path} starts only once`);
    this.seenPaths.add(run.path);
    const isFirst = run.attempt === 0 && !this.recovering.has(run.path);
    if (isFirst) this.checkVisit(model, run);
    if (isFirst && as !== 'finish') model.dag?.begin(run.node.id, as);
    if (as === 'skip') assertRule(model.region.kind === 'dag', `${run.path} is skipped in a dag`);
    else this.recordStart(model, run);
    assertRule(
      as === 'skip' || run.visit <= this.limits.visitsPerNode,
      `${run.path} is within its ${this.limits.visitsPerNode} visits`,
    );
  }

  private recordStart(model: RegionModel, run: NodeRun): void {
    assertRule(run.attempt < run.node.attempts, `${run.path} is one of ${run.node.attempts} attempts`);
    this.starts++;
    this.runningNodes.set(run.path, run);
    model.running.add(run.path);
  }

  private checkVisit(model: RegionModel, { node, item, visit, path }: NodeRun): void {
    const label = item === undefined ? node.id : `${node.id}[${item}]`;
    assertRule(visit === (model.visits.get(label) ?? 0) + 1, `${path} counts its visits one by one`);
    model.visits.set(label, visit);
    model.startCount++;
  }

  private checkFinishes(model: RegionModel, tasks: readonly Task[]): void {
    for (const task of tasks) {
      if (task.do !== 'finish') continue;
      const { path } = task.run;
      assertRule(this.runningNodes.has(path) && this.models.get(path) === model, `${path} finishes after an event in its body`);
      assertRule(!model.isClosed && model.running.size === 0, `${path} gets one finish task, after its children`);
      const innerPaths = [...this.runningNodes.keys()].filter((other) => other.startsWith(`${path}/`));
      assertRule(innerPaths.length === 0, `${path} gets its finish task after all nodes inside it`);
      this.closeRegion(model, task.body);
    }
  }

  private closeRegion(model: RegionModel, status: Status): void {
    model.isClosed = true;
    const path = model.owner?.path ?? 'the root';
    const expected = worst(model.status, this.ending ?? 'pass');
    assertRule(status === expected, `${path} ends with ${expected}, and not ${status}`);
    assertRule(!this.mayStart(model) || model.isComplete, `${path} ends after all its children`);
  }

  // An ending run cancels nodes without a running body, and nodes with an earlier `finish` task, but not those that this decision finishes.
  private checkCancel({ cancel, tasks }: Decision, wasEnding: boolean): void {
    const beginsEnding = this.ending !== undefined && !wasEnding;
    const finishing = new Set(tasks.filter((task) => task.do === 'finish').map((task) => task.run.path));
    const withBody = new Set([...this.models.values()].filter((model) => !model.isClosed).map((model) => model.owner?.path));
    const due = beginsEnding ? [...this.runningNodes.keys()].filter((path) => !withBody.has(path) && !finishing.has(path)) : [];
    assertRule(due.sort().join() === [...cancel].sort().join(), `"${due}" are cancelled, and not "${cancel}"`);
  }

  private checkDone(model: RegionModel, { done }: Decision): void {
    assertRule(model.running.size > 0 || model.isClosed || done !== undefined, 'a region without running nodes is closed');
    if (!done) return;
    this.isOver = true;
    assertRule(this.runningNodes.size === 0, 'the run is done when no node is running');
    this.closeRegion(model, done.status);
    const reasons: (string | undefined)[] = this.reasons.length > 0 ? this.reasons : [undefined];
    assertRule(reasons.includes(done.reason?.code), `the reason is ${reasons.join(' or ')}, and not ${done.reason?.code}`);
  }

  private mayStart(model: RegionModel): boolean {
    return this.ending === undefined && !model.isStopped;
  }

  private openRegion(path: string, model: RegionModel): RegionModel {
    assertRule(!this.models.has(path), `${path} is entered once`);
    this.models.set(path, model);
    return model;
  }

  private modelAt(path: string | undefined): RegionModel {
    const model = this.models.get(path ?? '');
    if (!model) throw new Error(`${path} has no body.`);
    return model;
  }

  private runningNodeAt(path: string): NodeRun {
    const run = this.runningNodes.get(path);
    if (!run) throw new Error(`The player named ${path}, which is not running.`);
    return run;
  }
}

function withRecovery({ run, event }: EndedRun, recovery: SettledEvent): EndedRun {
  if (event.status === 'skip' || recovery.status === 'skip') return { run, event };
  const isFinal = recovery.final && recovery.status !== 'pass';
  return { run, event: { ...event, status: worst(event.status, recovery.status), ...(isFinal ? { final: true } : {}) } };
}
