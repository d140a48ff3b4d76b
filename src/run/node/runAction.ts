// The action of a node within its deadline, after the region inside the node, if it opens one.
import type { Action, ActionResult, BodyResult } from '../../actions/action.js';
import { type FailureKind, RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { Status } from '../../recipe/recipe.js';
import { explainLateFailure } from '../../registry/preConditionAction.js';
import type { HostStep } from '../host.js';
import { timeoutOf } from '../recipeNeeds.js';
import { NodeContext } from './nodeContext.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import type { PreparedNode } from './prepareNode.js';
import { readStateForAction } from './readStateRefs.js';
import { withDeadline } from './withDeadline.js';

type ActionCall = { action: Action; prepared: PreparedNode; step: HostStep };

export async function runAction(scheduler: Scheduler, execution: NodeExecution, call: ActionCall): Promise<ActionResult> {
  const { job } = scheduler;
  const { action, prepared } = call;
  const opensRegion = execution.run.node.body !== undefined;
  const timeoutMs = timeoutOf(execution.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  // Work that hangs is given up after a moment. A region is awaited: each of its nodes is given up by itself.
  const graceMs = opensRegion ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  const perform = async (): Promise<ActionResult> => {
    const body = opensRegion ? await runBody(scheduler, execution, prepared) : undefined;
    await readStateForAction(job, execution, action);
    const context = new NodeContext(scheduler, execution, { ...call, deadline, body });
    const result = (await action.run(prepared.fields, context)) ?? {};
    const failure = result.failure ?? (body && (bodyFailure(scheduler, execution, body.status) ?? notedFailure(execution)));
    return failure ? { ...result, failure } : result;
  };
  const result = await withDeadline(perform, { clock: job.clock, timeoutMs, graceMs, stop: execution.stop });
  return checkResult(result, action, execution);
}

// A compiler does not check what a project's own action returns.
function checkResult(result: ActionResult, action: Action, { node }: NodeExecution): ActionResult {
  if (typeof result !== 'object' || Array.isArray(result)) {
    const message = `The action gave ${JSON.stringify(result) ?? typeof result}, not a result. Return { output: … } or nothing.`;
    throw new RecipeError('action.bad_result', 'harness', message);
  }
  return result.failure === undefined
    ? result
    : { ...result, failure: explainLateFailure(action, node, toRecipeError(result.failure)) };
}

/** Opens the region inside a node and resolves when it is over. */
function runBody(
  { sendEvent, stopBelow }: Scheduler,
  execution: NodeExecution,
  { fields, items }: PreparedNode,
): Promise<BodyResult> {
  const inside = execution.scope.child(fields.params);
  execution.bodyScope = inside;
  if (items) execution.items = items;
  execution.stop.onAbort(() => stopBelow(execution, 'the node around it was stopped'));
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

/** A failure that was noted while the region ran on still fails a node that is tried again or tolerated. */
function notedFailure({ run: { node, attempt }, firstNoted }: NodeExecution): RecipeError | undefined {
  return firstNoted && (attempt + 1 < node.attempts || node.recipe.onFail === 'continue') ? copyFailure(firstNoted) : undefined;
}

function copyFailure(failure: RecipeError): RecipeError {
  return new RecipeError(failure.code, failure.kind, failure.message, failure.at, { cause: failure });
}
