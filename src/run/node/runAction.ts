// Runs the action of a node within its deadline. An action that opens a region runs after the region has ended.
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
  // The run abandons an action that does not stop in time. A region has no such limit, because each of its nodes has one.
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

// The setup module may be JavaScript, so no compiler has checked the result of its actions.
function checkResult(result: ActionResult, action: Action, { node }: NodeExecution): ActionResult {
  if (typeof result !== 'object' || Array.isArray(result)) {
    const message = `The action returned ${JSON.stringify(result) ?? typeof result} instead of a result. Return { output: … } or nothing.`;
    throw new RecipeError('action.bad_result', 'harness', message);
  }
  return result.failure === undefined
    ? result
    : { ...result, failure: explainLateFailure(action, node, toRecipeError(result.failure)) };
}

/** Opens the region inside a node, and resolves when the region has ended. */
function runBody(
  { sendEvent, stopBelow }: Scheduler,
  execution: NodeExecution,
  { fields, items }: PreparedNode,
): Promise<BodyResult> {
  const bodyScope = execution.scope.child(fields.params);
  execution.bodyScope = bodyScope;
  if (items) execution.items = items;
  execution.stop.onAbort(() => stopBelow(execution, 'its parent node was stopped'));
  return new Promise((resolve) => {
    execution.onBodyEnd = (status) =>
      resolve({
        status,
        outputs: bodyScope.outputs,
        items: Array.from({ length: items?.length ?? 0 }, (_, index) => bodyScope.items[index] ?? null),
        last: bodyScope.last,
        streams: bodyScope.streams,
      });
    sendEvent({ t: 'entered', path: execution.run.path, ...(items ? { items: items.length } : {}) }).proceed();
  });
}

function bodyFailure({ endReason }: Scheduler, { failure }: NodeExecution, status: Status): RecipeError | undefined {
  if (status === 'pass') return undefined;
  if (failure) return copyFailure(failure);
  const kind: FailureKind = status === 'fail' ? 'assertion' : 'undecided';
  const { code, message } = endReason() ?? {
    code: 'body.ended',
    message: `The nodes inside this node ended with status ${status}.`,
  };
  return new RecipeError(code, kind, message);
}

/** A failure with `on_fail: note` does not stop its region. Afterwards it still fails a parent that is retried or tolerated. */
function notedFailure({ run: { node, attempt }, firstNoted }: NodeExecution): RecipeError | undefined {
  return firstNoted && (attempt + 1 < node.attempts || node.recipe.onFail === 'continue') ? copyFailure(firstNoted) : undefined;
}

function copyFailure(failure: RecipeError): RecipeError {
  return new RecipeError(failure.code, failure.kind, failure.message, failure.at, { cause: failure });
}
