// Runs one node from its first journal line to its last, as one step of the host.
import { type Action, evaluatesAssert } from '../../actions/action.js';
import { type RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import { explainLateFailure } from '../../registry/preConditionAction.js';
import { addServiceIssues } from '../endServices.js';
import type { HostStep } from '../host.js';
import { maskError } from '../maskErrorsAndJournal.js';
import { evaluateResult } from './evaluateResult.js';
import { keepArtifacts } from './keepArtifacts.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import { type NodeEnding, outcomeOf, toEvent, writeBeginLine, writeEndLine } from './nodeJournalLines.js';
import { observeBegin, observeEnd } from './observeNode.js';
import { createRefusedNode, fillCallParams, type PreparedNode, passGates } from './prepareNode.js';
import { readStateForAsserts, readStateForGates } from './readStateRefs.js';
import { runAction } from './runAction.js';

/**
 * Evaluates the gates and fills in the fields, writes the `begin` line, runs the action, saves the evidence, evaluates the assertions
 * and writes the `end` line. The next nodes start when the host has ended the step.
 */
export async function runNode(scheduler: Scheduler, execution: NodeExecution): Promise<void> {
  const { job, run } = scheduler;
  const action = actionOf(scheduler, execution);
  const prepared = await prepareNode(scheduler, execution, action);
  const started = job.clock.now();
  if (!action.internal) run.hasBegun = true;
  const info = writeBeginLine(scheduler, execution, {
    skip: prepared.skip,
    items: prepared.items?.length,
    refused: prepared.problem !== undefined,
    fallible: prepared.problem === undefined && countsAsTest(execution) && canFail(scheduler, execution, { action, prepared }),
  });
  let failure: RecipeError | undefined;
  let startNext = (): void => undefined;
  const runInStep = async (step: HostStep): Promise<void> => {
    execution.step = step;
    let ending = await observeBegin(scheduler, info);
    if (prepared.skip !== undefined) ending ??= { skipped: true };
    ending ??= await performNode(scheduler, execution, { action, prepared, step });
    ending = await observeEnd(scheduler, execution, { step, info, ending });
    ending = addServiceIssues(run.services, job, ending);
    run.watchedFiles.refreshAll();
    const line = writeEndLine(scheduler, execution, ending, job.clock.now() - started);
    startNext = scheduler.sendEvent(toEvent(execution, ending)).proceed;
    reportFailureToParent(scheduler, execution, ending);
    await step.end(line);
    failure = ending.failure;
    // A body that throws fails the step of the host.
    if (failure) throw failure;
  };
  try {
    await job.host.step(info, runInStep);
  } catch (thrown) {
    if (failure === undefined || thrown !== failure) throw thrown;
  }
  startNext();
}

type PreparedAction = { action: Action; prepared: PreparedNode };

async function performNode(
  scheduler: Scheduler,
  execution: NodeExecution,
  { action, prepared, step }: PreparedAction & { step: HostStep },
): Promise<NodeEnding> {
  const { job } = scheduler;
  try {
    if (prepared.problem) throw prepared.problem;
    const filled = fillCallParams(prepared, job.loaded.compiled.recipe.flows);
    const result = await runAction(scheduler, execution, { action, prepared: filled, step });
    await readStateForAsserts(job, execution);
    const artifacts = await keepArtifacts(scheduler, step, { path: execution.run.path, captures: result.artifacts ?? [] });
    return await evaluateResult(scheduler, execution, { action, prepared: filled, result, artifacts });
  } catch (thrown) {
    const failure = explainLateFailure(action, execution.node, toRecipeError(thrown));
    return { failure: maskError(failure, job.secrets.vault) };
  }
}

/** Writes the journal lines of a node of an rw.dag that does not run, because none of its incoming edges fired. */
export async function skipNode(scheduler: Scheduler, execution: NodeExecution, reason: string): Promise<void> {
  const info = writeBeginLine(scheduler, execution, { skip: reason });
  const line = writeEndLine(scheduler, execution, { skipped: true }, 0);
  await scheduler.job.host.step(info, (step) => step.end(line));
}

function actionOf({ job }: Scheduler, { node }: NodeExecution): Action {
  const action = job.registry.get(node.action);
  if (!action) throw new Error(`No action ${node.action} is registered.`);
  return action;
}

async function prepareNode({ job }: Scheduler, execution: NodeExecution, action: Action): Promise<PreparedNode> {
  try {
    await readStateForGates(job, execution);
  } catch (thrown) {
    return createRefusedNode(thrown);
  }
  return passGates(execution.node, action, execution.scope);
}

function canFail({ job }: Scheduler, { node }: NodeExecution, { action, prepared }: PreparedAction): boolean {
  const { flows } = job.loaded.compiled.recipe;
  return node.assert !== undefined || evaluatesAssert(action, node) || action.fallible?.(prepared.fields, flows) === true;
}

// A node proves nothing when a failure would be tolerated, by the node or by one of its parents. Teardown proves nothing either.
function countsAsTest({ run, parent }: NodeExecution): boolean {
  const { onFail, section } = run.node.recipe;
  if (onFail === 'continue' || section === 'teardown') return false;
  return parent === undefined || countsAsTest(parent);
}

/** A child's failure becomes its parent's. */
function reportFailureToParent(scheduler: Scheduler, { run, parent, firstNoted }: NodeExecution, ending: NodeEnding): void {
  const outcome = outcomeOf(run, ending);
  const noted = ending.failure ? outcome === 'failed' && run.node.recipe.onFail === 'note' && ending.failure : firstNoted;
  if (parent && noted) parent.firstNoted ??= noted;
  if (ending.failure && (outcome === 'failed' || outcome === 'stopped')) (parent ?? scheduler).failure ??= ending.failure;
}
