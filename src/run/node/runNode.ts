// One node from its first journal line to its last, shown as one step of the host.
import { type Action, type ActionResult, type BodyResult, evaluatesAssert } from '../../actions/action.js';
import { andThen } from '../../actions/withSlowPatterns.js';
import type { NodeObserver, Observation, ObservedNode } from '../../browser/nodeObserver.js';
import type { Artifact } from '../../evidence/journal.js';
import { type FailureKind, RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { Recipe, Status } from '../../recipe/recipe.js';
import { explainLateFailure } from '../../registry/preConditionAction.js';
import type { HostStep } from '../host.js';
import { maskError } from '../masking.js';
import { timeoutOf } from '../recipeNeeds.js';
import { keepArtifacts } from './keepArtifacts.js';
import { NodeContext } from './nodeContext.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import { type NodeEnding, outcomeOf, toEvent, writeBegin, writeEnd } from './nodeJournalLines.js';
import { fillCallParams, type PreparedNode, prepareNodeAsync } from './prepareNode.js';
import { readStateRefs } from './readStateRefs.js';
import { type ActionOutcome, settleNode } from './settleNode.js';
import { withDeadline } from './withDeadline.js';

/** A node that is done at once gives no promise: its flight is over when this returns. */
export function runNode(scheduler: Scheduler, execution: NodeExecution): void | Promise<void> {
  const { job } = scheduler;
  const action = job.registry.get(execution.node.action);
  if (!action) throw new Error(`No action ${execution.node.action} is registered.`);
  const { when, unless, bindings } = execution.node;
  const readsState = job.stateRefs.size > 0 && (when !== undefined || unless !== undefined || bindings.size > 0);
  const preparing = readsState
    ? prepareWithState(scheduler, execution, action)
    : prepareNodeAsync(execution.node, action, execution.scope);
  return andThen(preparing, (prepared) => runPreparedNode(scheduler, execution, { action, prepared }));
}

function runPreparedNode(scheduler: Scheduler, execution: NodeExecution, work: NodeVisit['work']): void | Promise<void> {
  const { job } = scheduler;
  const { action, prepared } = work;
  const { skip, items, problem } = prepared;
  const fallible =
    !problem && countsAsTest(execution) && canFail(action, execution, job.loaded.compiled.recipe.flows, prepared.fields);
  const started = job.clock.now();
  if (!action.internal) scheduler.run.hasBegun = true;
  const info = writeBegin(scheduler, execution, { skip, items: items?.length, refused: problem !== undefined, fallible });
  const visit: NodeVisit = { started, work, proceed: () => undefined };
  const { onlooker } = job;
  const stepEnd = job.host.step(info, (step) =>
    onlooker ? runObserved(scheduler, execution, visit, { step, info, onlooker }) : runInStep(scheduler, execution, visit, step),
  );
  if (!(stepEnd instanceof Promise)) return visit.proceed();
  const follow = (): void => visit.proceed();
  return stepEnd.then(follow, (thrown) => {
    if (thrown !== visit.reportedError) throw thrown;
    follow();
  });
}

type NodeVisit = {
  started: number;
  work: Omit<NodeWork, 'step'>;
  endedSynchronously?: true;
  /** Starts what comes after it, once its step is over. */
  proceed(): void;
  reportedError?: RecipeError;
};

function runInStep(scheduler: Scheduler, execution: NodeExecution, visit: NodeVisit, step: HostStep): void | Promise<void> {
  execution.step = step;
  const ending = runUnlessSkipped(scheduler, execution, visit, step);
  if (ending instanceof Promise) return ending.then((later) => endStep(scheduler, execution, visit, later));
  visit.endedSynchronously = true;
  return endStep(scheduler, execution, visit, ending);
}

function runUnlessSkipped(
  scheduler: Scheduler,
  execution: NodeExecution,
  { work }: NodeVisit,
  step: HostStep,
): NodeEnding | Promise<NodeEnding> {
  const { action, prepared } = work;
  return prepared.skip === undefined ? runAction(scheduler, execution, { action, prepared, step }) : { skipped: true };
}

type ObservedStep = { step: HostStep; info: ObservedNode; onlooker: NodeObserver };

function runObserved(
  scheduler: Scheduler,
  execution: NodeExecution,
  visit: NodeVisit,
  { step, info, onlooker }: ObservedStep,
): void | Promise<void> {
  execution.step = step;
  const ending = andThen(
    observeBegin(onlooker, info),
    (refused) => refused ?? runUnlessSkipped(scheduler, execution, visit, step),
  );
  const all = andThen(ending, (told) => {
    const outcome = outcomeOf(execution.run, told);
    const final = outcome === 'failed' || outcome === 'stopped';
    return observeEnd(scheduler, { step, onlooker, node: info, ending: told, final });
  });
  return andThen(all, (told) => endStep(scheduler, execution, visit, told));
}

function endStep(scheduler: Scheduler, execution: NodeExecution, visit: NodeVisit, ending: NodeEnding): void | Promise<void> {
  const { job, sendEvent } = scheduler;
  scheduler.run.watchedFiles.lookAgain();
  const isLast = visit.endedSynchronously === true && scheduler.runningCount() === 1;
  const line = writeEnd(scheduler, execution, ending, { ms: job.clock.now() - visit.started, isLast });
  visit.proceed = sendEvent(toEvent(execution, ending)).proceed;
  reportFailureToParent(scheduler, execution, ending);
  const sent = execution.step?.end(line);
  if (!ending.failure) return sent;
  visit.reportedError = ending.failure;
  return Promise.resolve(sent).then(() => Promise.reject(ending.failure));
}

async function prepareWithState({ job }: Scheduler, execution: NodeExecution, action: Action): Promise<PreparedNode> {
  const { when, unless, bindings } = execution.node;
  try {
    await readStateRefs(job, execution, [when, unless, ...bindings.values()]);
  } catch (thrown) {
    return { fields: {}, problem: toRecipeError(thrown) };
  }
  return prepareNodeAsync(execution.node, action, execution.scope);
}

function canFail(
  action: Action,
  { node }: NodeExecution,
  flows: Recipe['flows'],
  fields: Readonly<Record<string, unknown>>,
): boolean {
  return node.assert !== undefined || evaluatesAssert(action, node) || action.fallible?.(fields, flows) === true;
}

/** A node of a dag that no edge fired for: on record, but never run. */
export async function skipNode(scheduler: Scheduler, execution: NodeExecution, reason: string): Promise<void> {
  const info = writeBegin(scheduler, execution, { skip: reason });
  const line = writeEnd(scheduler, execution, { skipped: true }, { ms: 0 });
  await scheduler.job.host.step(info, (step) => step.end(line));
}

// A failure that is tolerated, here or around it, would not have changed the verdict; cleaning up tests nothing.
function countsAsTest({ run, parent }: NodeExecution): boolean {
  const { onFail, section } = run.node.recipe;
  if (onFail === 'continue' || section === 'teardown') return false;
  return parent === undefined || countsAsTest(parent);
}

// What a node failed of is what the node around it fails of.
function reportFailureToParent(scheduler: Scheduler, { run, parent, firstNoted }: NodeExecution, ending: NodeEnding): void {
  const outcome = outcomeOf(run, ending);
  const reported = ending.failure ? outcome === 'failed' && run.node.recipe.onFail === 'note' && ending.failure : firstNoted;
  if (parent && reported) parent.firstNoted ??= reported;
  if (ending.failure && (outcome === 'failed' || outcome === 'stopped')) (parent ?? scheduler).failure ??= ending.failure;
}

// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.

type NodeWork = { action: Action; prepared: PreparedNode; step: HostStep };

/** What can be done at once is: only what waits for something gives a promise. */
function runAction(scheduler: Scheduler, execution: NodeExecution, work: NodeWork): NodeEnding | Promise<NodeEnding> {
  const failed = (thrown: unknown): NodeEnding => {
    const failure = explainLateFailure(work.action, execution.node, toRecipeError(thrown));
    return { failure: maskError(failure, scheduler.job.secrets.vault) };
  };
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const ready = fillCallParams(work.prepared, scheduler.job.loaded.compiled.recipe.flows);
    const done = ready === work.prepared ? work : { ...work, prepared: ready };
    const ending = andThen(performAction(scheduler, execution, done), (result) =>
      concludeNode(scheduler, execution, done, result),
    );
    return ending instanceof Promise ? ending.catch(failed) : ending;
  } catch (thrown) {
    return failed(thrown);
  }
}

function performAction(scheduler: Scheduler, execution: NodeExecution, work: NodeWork): ActionResult | Promise<ActionResult> {
  const { job } = scheduler;
  const { action, prepared, step } = work;
  const opens = execution.run.node.body !== undefined;
  const timeoutMs = timeoutOf(execution.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  const start = (body?: BodyResult): ActionResult | Promise<ActionResult> =>
    action.run(prepared.fields, new NodeContext(scheduler, execution, { action, prepared, step, deadline, body })) ?? {};
  // Work that hangs is given up after a moment; a body is waited for, since each of its nodes is given up by itself.
  const graceMs = opens ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  const bounds = { clock: job.clock, timeoutMs, graceMs, stop: execution.stop };
  if (!opens && job.stateRefs.size === 0) return withDeadline(start, bounds);
  return withDeadline(async () => {
    const body = opens ? await runBody(scheduler, execution, prepared) : undefined;
    await readStateBeforeAction(scheduler, execution, action);
    const result = (await start(body)) ?? {};
    const failure = result.failure ?? (body && (bodyFailure(scheduler, execution, body.status) ?? notedFailure(execution)));
    return failure ? { ...result, failure } : result;
  }, bounds);
}

// Just before the action reads them; what a flow promises is about the time after it.
async function readStateBeforeAction({ job }: Scheduler, execution: NodeExecution, action: Action): Promise<void> {
  const { cases = [], assert, fields } = execution.node;
  const promise = typeof fields.ref === 'string' ? job.loaded.compiled.recipe.flows.get(fields.ref)?.postcondition : undefined;
  const read = [...cases.map(({ when }) => when), promise, action.readsAssert ? assert : undefined];
  await readStateRefs(job, execution, read, fields.source ?? fields.node);
}

function concludeNode(
  scheduler: Scheduler,
  execution: NodeExecution,
  work: NodeWork,
  returned: ActionResult | undefined,
): NodeEnding | Promise<NodeEnding> {
  const result = checkResult(returned, work.action, execution);
  const { job } = scheduler;
  const captures = result.artifacts ?? [];
  if (captures.length === 0 && job.stateRefs.size === 0) return settleNode(scheduler, execution, actionOutcome(work, result, []));
  const later = async (): Promise<NodeEnding> => {
    const edges = execution.parent?.run.node.recipe.body?.edges ?? [];
    await readStateRefs(job, execution, [execution.node.assert, ...edges.map(({ when }) => when)]);
    const artifacts = await keepArtifacts(scheduler, work.step, { path: execution.run.path, captures });
    return settleNode(scheduler, execution, actionOutcome(work, result, artifacts));
  };
  return later();
}

function actionOutcome({ action, prepared }: NodeWork, result: ActionResult, artifacts: readonly Artifact[]): ActionOutcome {
  return { action, prepared, result, artifacts };
}

// What a project's own action gives is not checked by a compiler.
function checkResult(returned: ActionResult | undefined, action: Action, { node }: NodeExecution): ActionResult {
  if (returned === undefined || returned === null) return {};
  if (typeof returned !== 'object' || Array.isArray(returned)) {
    const message = `The action gave ${JSON.stringify(returned) ?? typeof returned}, not a result. Return { output: … } or nothing.`;
    throw new RecipeError('action.bad_result', 'harness', message);
  }
  return returned.failure === undefined
    ? returned
    : { ...returned, failure: explainLateFailure(action, node, toRecipeError(returned.failure)) };
}

// The nodes inside of a node: they are opened, run as the engine says, and waited for.

function runBody(
  { sendEvent, stopBelow }: Scheduler,
  execution: NodeExecution,
  { fields, items }: PreparedNode,
): Promise<BodyResult> {
  const { signal } = execution.stop;
  const inside = execution.scope.child(fields.params);
  execution.bodyScope = inside;
  if (items) execution.items = items;
  signal.addEventListener('abort', () => stopBelow(execution, 'the node around it was stopped'), { once: true });
  return new Promise((resolve) => {
    execution.onBodyEnd = (status) =>
      resolve({
        status,
        outputs: inside.outputs,
        items: Array.from({ length: items?.length ?? 0 }, (_, index) => inside.items[index] ?? null),
        last: inside.last,
        streams: inside.streams,
      });
    sendEvent({ t: 'entered', path: execution.run.path, ...(items ? { items: items.length } : {}) }).proceed();
  });
}

function bodyFailure({ endReason }: Scheduler, { failure }: NodeExecution, status: Status): RecipeError | undefined {
  if (status === 'pass') return undefined;
  if (failure) return copyFailure(failure);
  const kind: FailureKind = status === 'fail' ? 'assertion' : 'undecided';
  const { code, message } = endReason() ?? { code: 'body.ended', message: `What it ran ended with status ${status}.` };
  return new RecipeError(code, kind, message);
}

/** What was passed over inside is a failure to whoever would try again, and to whoever would tolerate one. */
function notedFailure({ run: { node, attempt }, firstNoted }: NodeExecution): RecipeError | undefined {
  return firstNoted && (attempt + 1 < node.attempts || node.recipe.onFail === 'continue') ? copyFailure(firstNoted) : undefined;
}

function copyFailure(failure: RecipeError): RecipeError {
  return new RecipeError(failure.code, failure.kind, failure.message, failure.at, { cause: failure });
}

// Who looks on while nodes run and may add to what is kept of them: the HUD, the recording, what the page says.

/** Tells the onlooker that a node begins; a failure of its own is what the node fails of. */
function observeBegin(onlooker: NodeObserver, node: ObservedNode): NodeEnding | undefined | Promise<NodeEnding | undefined> {
  const failed = (thrown: unknown): NodeEnding => ({ failure: observerFault(thrown) });
  try {
    const notified = onlooker.nodeBegins(node);
    return notified instanceof Promise ? notified.then(() => undefined, failed) : undefined;
  } catch (thrown) {
    return failed(thrown);
  }
}

type ObservedEnd = { step: HostStep; onlooker: NodeObserver; node: ObservedNode; ending: NodeEnding; final: boolean };

/** The ending of a node with what the onlooker saw beside it. */
function observeEnd(scheduler: Scheduler, seen: ObservedEnd): NodeEnding | Promise<NodeEnding> {
  const { onlooker, node, ending, final } = seen;
  const failed = (thrown: unknown): NodeEnding =>
    ending.failure ? ending : { ...ending, failure: maskError(observerFault(thrown), scheduler.job.secrets.vault) };
  try {
    const captures = ending.artifacts?.length ?? 0;
    const { signal } = scheduler;
    const sighting = onlooker.nodeEnds(node, { final, captures, signal, ...(ending.failure ? { failure: ending.failure } : {}) });
    const all = andThen(sighting, (observation) => addObservation(scheduler, seen, observation));
    return all instanceof Promise ? all.catch(failed) : all;
  } catch (thrown) {
    return failed(thrown);
  }
}

function addObservation(
  scheduler: Scheduler,
  { step, node, ending }: ObservedEnd,
  sighting: Observation,
): NodeEnding | Promise<NodeEnding> {
  const { vault } = scheduler.job.secrets;
  const { captures = [], issues = [] } = sighting;
  const all: NodeEnding = { ...ending };
  const failure = ending.failure ?? sighting.failure;
  if (failure) all.failure = maskError(failure, vault);
  if (issues.length > 0) all.issues = [...(ending.issues ?? []), ...(vault.maskJson(issues) as typeof issues)];
  if (captures.length === 0) return all;
  return keepArtifacts(scheduler, step, { path: node.path, captures }).then((artifacts) => ({
    ...all,
    artifacts: [...(ending.artifacts ?? []), ...artifacts],
  }));
}

function observerFault(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  return thrown instanceof RecipeError
    ? error
    : new RecipeError('run.onlooker_failed', 'harness', error.message, undefined, { cause: thrown });
}
