// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.
import type { Action, ActionResult, BodyResult } from '../actions/action.js';
import { andThen } from '../actions/settlePatterns.js';
import type { Artifact } from '../evidence/journal.js';
import { RecipeError, toRecipeError } from '../evidence/recipeError.js';
import { explainLateFailure } from '../registry/preConditionAction.js';
import { withParams } from './callParams.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import { keepArtifacts } from './keepArtifacts.js';
import { lookAtState } from './lookAtState.js';
import { maskedError } from './maskedError.js';
import { NodeContext } from './nodeContext.js';
import type { Ending } from './nodeLines.js';
import type { Prepared } from './prepareNode.js';
import { bodyFailure, notedFailure, runBody } from './runBody.js';
import { type Done, settleNode } from './settleNode.js';
import { timeoutOf } from './targets.js';
import { withDeadline } from './withDeadline.js';

export type Work = { action: Action; prepared: Prepared; step: HostStep };

/** What can be done at once is: only what waits for something gives a promise. */
export function runAction(conductor: Conductor, flight: Flight, work: Work): Ending | Promise<Ending> {
  const failed = (thrown: unknown): Ending => {
    const failure = explainLateFailure(work.action, flight.node, toRecipeError(thrown));
    return { failure: maskedError(failure, conductor.job.secrets.vault) };
  };
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const ready = withParams(work.prepared, conductor.job.loaded.compiled.recipe.flows);
    const done = ready === work.prepared ? work : { ...work, prepared: ready };
    const ending = andThen(perform(conductor, flight, done), (result) => conclude(conductor, flight, done, result));
    return ending instanceof Promise ? ending.catch(failed) : ending;
  } catch (thrown) {
    return failed(thrown);
  }
}

function perform(conductor: Conductor, flight: Flight, work: Work): ActionResult | Promise<ActionResult> {
  const { job } = conductor;
  const { action, prepared, step } = work;
  const opens = flight.run.node.body !== undefined;
  const timeoutMs = timeoutOf(flight.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  const start = (body?: BodyResult): ActionResult | Promise<ActionResult> =>
    action.run(prepared.fields, new NodeContext(conductor, flight, { action, prepared, step, deadline, body })) ?? {};
  // Work that hangs is given up after a moment; a body is waited for, since each of its nodes is given up by itself.
  const graceMs = opens ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  const bounds = { clock: job.clock, timeoutMs, graceMs, stop: flight.stop };
  if (!opens && job.stateRefs.size === 0) return withDeadline(start, bounds);
  return withDeadline(async () => {
    const body = opens ? await runBody(conductor, flight, prepared) : undefined;
    await lookBefore(conductor, flight, action);
    const result = (await start(body)) ?? {};
    const failure = result.failure ?? (body && (bodyFailure(conductor, flight, body.status) ?? notedFailure(flight)));
    return failure ? { ...result, failure } : result;
  }, bounds);
}

// Just before the action reads them; what a flow promises is about the time after it.
async function lookBefore({ job }: Conductor, flight: Flight, action: Action): Promise<void> {
  const { cases = [], assert, fields } = flight.node;
  const promise = typeof fields.ref === 'string' ? job.loaded.compiled.recipe.flows.get(fields.ref)?.postcondition : undefined;
  const read = [...cases.map(({ when }) => when), promise, action.readsAssert ? assert : undefined];
  await lookAtState(job, flight, read, fields.source ?? fields.node);
}

function conclude(conductor: Conductor, flight: Flight, work: Work, given: ActionResult | undefined): Ending | Promise<Ending> {
  const result = resultOf(given, work.action, flight);
  const { job } = conductor;
  const captures = result.artifacts ?? [];
  if (captures.length === 0 && job.stateRefs.size === 0) return settleNode(conductor, flight, doneBy(work, result, []));
  const later = async (): Promise<Ending> => {
    const edges = flight.parent?.run.node.recipe.body?.edges ?? [];
    await lookAtState(job, flight, [flight.node.assert, ...edges.map(({ when }) => when)]);
    const artifacts = await keepArtifacts(conductor, work.step, { path: flight.run.path, captures });
    return settleNode(conductor, flight, doneBy(work, result, artifacts));
  };
  return later();
}

function doneBy({ action, prepared }: Work, result: ActionResult, artifacts: readonly Artifact[]): Done {
  return { action, prepared, result, artifacts };
}

// What a project's own action gives is not checked by a compiler.
function resultOf(given: ActionResult | undefined, action: Action, { node }: Flight): ActionResult {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const message = `The action gave ${JSON.stringify(given) ?? typeof given}, not a result. Return { output: … } or nothing.`;
    throw new RecipeError('action.bad_result', 'harness', message);
  }
  return given.failure === undefined
    ? given
    : { ...given, failure: explainLateFailure(action, node, toRecipeError(given.failure)) };
}
