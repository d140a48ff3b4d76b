// Evaluates the result of an action: records the output, evaluates the assertions over it, and finds the edges that fire.
import type { Action, ActionResult } from '../../actions/action.js';
import { evaluateWithPatternThread, undecidedError } from '../../actions/evaluateWithPatternThread.js';
import { deepFreeze } from '../../engine/deepFreeze.js';
import { evaluateAssertion } from '../../engine/evaluateAssertion.js';
import { describeAssert, toAssertEntry } from '../../evidence/assertEntry.js';
import type { Artifact, Assert } from '../../evidence/journal.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { BodyEdge, RecipeNode } from '../../recipe/recipe.js';
import { maskError } from '../maskErrorsAndJournal.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import type { NodeEnding } from './nodeJournalLines.js';
import { fillAssertion, type PreparedNode } from './prepareNode.js';

export type ActionOutcome = { action: Action; prepared: PreparedNode; result: ActionResult; artifacts: readonly Artifact[] };

export async function evaluateResult(
  scheduler: Scheduler,
  execution: NodeExecution,
  outcome: ActionOutcome,
): Promise<NodeEnding> {
  const { vault } = scheduler.job.secrets;
  const { result } = outcome;
  const output = vault.maskJson(toRecordedOutput(result.output));
  // The assertions of an action may quote the secrets that the action received.
  const actionAsserts = result.asserts && (vault.maskJson(result.asserts) as readonly Assert[]);
  const asserts = await evaluateAsserts(outcome, execution, { actionAsserts, output });
  storeOutput(execution, output);
  const failure = result.failure ?? findFailedAssert(asserts) ?? findUnknownCase(execution.node, result);
  if (!hasConditionalEdges(execution)) return buildEnding(scheduler, execution, { outcome, output, asserts, failure });
  const { fired, undecided } = await evaluateWithPatternThread(() => findFiredEdges(execution));
  return buildEnding(scheduler, execution, { outcome, output, asserts, failure: failure ?? undecided, fired });
}

type EndingParts = {
  outcome: ActionOutcome;
  output: unknown;
  asserts: readonly Assert[];
  failure: RecipeError | undefined;
  fired?: readonly number[];
};

function buildEnding({ job, streams }: Scheduler, { run, node, regionScope }: NodeExecution, parts: EndingParts): NodeEnding {
  const { vault } = job.secrets;
  const { output, asserts, failure, fired } = parts;
  const { result, artifacts } = parts.outcome;
  if (result.streams && !failure && run.parent !== undefined) {
    streams.set(run.path, result.streams.stdout);
    regionScope.streams.set(run.item ?? run.node.id, result.streams.stdout);
  }
  const ending: NodeEnding = {};
  const journalOutput = result.recorded === undefined ? output : vault.maskJson(toRecordedOutput(result.recorded));
  if (journalOutput !== undefined) ending.output = journalOutput;
  if (failure) ending.failure = maskError(failure, vault);
  if (failure && result.final) ending.final = true;
  const caseName = chooseCase(node, result);
  if (caseName !== undefined) ending.case = caseName;
  if (fired) ending.fired = fired;
  if (asserts.length > 0) ending.asserts = asserts;
  if (artifacts.length > 0) ending.artifacts = artifacts;
  if (result.issues && result.issues.length > 0) ending.issues = vault.maskJson(result.issues) as typeof result.issues;
  return ending;
}

function storeOutput({ run, regionScope, node }: NodeExecution, output: unknown): void {
  if (output === undefined) return;
  regionScope.addOutput(run.node.id, output, run.item);
  if (run.node.next.kind !== 'end') regionScope.last = output;
  if (node.saveAs !== undefined) regionScope.save(node.saveAs, output);
}

const noAsserts: readonly Assert[] = [];

type AssertInput = { actionAsserts: readonly Assert[] | undefined; output: unknown };

async function evaluateAsserts(
  { action, prepared: { assert }, result }: ActionOutcome,
  { node, scope }: NodeExecution,
  { actionAsserts = noAsserts, output }: AssertInput,
): Promise<readonly Assert[]> {
  const evaluatesNodeAssert = assert && !action.readsAssert && !result.failure;
  if (actionAsserts.length === 0 && !evaluatesNodeAssert) return noAsserts;
  const asserts = actionAsserts.map((actionAssert) => withClaim(node, actionAssert));
  if (!evaluatesNodeAssert) return copyForClaims(node, asserts);
  const evaluation = await evaluateWithPatternThread(() => evaluateAssertion(assert, scope.valuesOver(output)));
  return copyForClaims(node, [...asserts, toAssertEntry(assert, evaluation, node.proofTarget)]);
}

function copyForClaims(node: RecipeNode, asserts: readonly Assert[]): readonly Assert[] {
  return node.proves ? asserts.flatMap(copyForEachClaim(node)) : asserts;
}

// An action can prove only the claim of its node. A claim that its assertion names is ignored.
function withClaim({ proofTarget }: RecipeNode, { proofTarget: _, ...assert }: Assert): Assert {
  return proofTarget === undefined ? assert : { ...assert, proofTarget };
}

// A failed assertion refutes every claim that the node serves.
function copyForEachClaim({ proofTarget, proves }: RecipeNode): (assert: Assert) => Assert[] {
  return (assert) =>
    proves && assert.proofTarget === proofTarget ? proves.map((claim) => ({ ...assert, proofTarget: claim })) : [assert];
}

function findFailedAssert(asserts: readonly Assert[]): RecipeError | undefined {
  const failed = asserts.find((assert) => !assert.held);
  return failed && new RecipeError('assertion.failed', 'assertion', describeAssert(failed));
}

/** Returns the case that the action returned, or `default` when the node has a default and does not know the case. */
function chooseCase({ routes, fallback }: RecipeNode, { case: returned }: ActionResult): string | undefined {
  if (!routes || (returned !== undefined && routes.has(returned))) return returned;
  return fallback === undefined ? returned : 'default';
}

function findUnknownCase(node: RecipeNode, result: ActionResult): RecipeError | undefined {
  if (!node.routes) return undefined;
  const name = chooseCase(node, result);
  if (name === 'default' || (name !== undefined && node.routes.has(name))) return undefined;
  const message = `${node.action} returned ${name === undefined ? 'no case' : `the case ${JSON.stringify(name)}`}, but the node has only the cases ${[...node.routes.keys()].join(', ')} and no default.`;
  return new RecipeError('action.unknown_case', 'action', message);
}

function edgesOf({ run, parent }: NodeExecution): readonly BodyEdge[] {
  return parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id) ?? [];
}

function hasConditionalEdges(execution: NodeExecution): boolean {
  return execution.parent !== undefined && edgesOf(execution).some((edge) => edge.when);
}

/** For a node of an rw.dag: returns the edges whose condition holds. A condition that cannot be evaluated fails the node. */
function findFiredEdges(execution: NodeExecution): { fired: number[]; undecided?: RecipeError } {
  const { scope } = execution;
  const answers = edgesOf(execution).map(({ when }) => when && evaluateAssertion(fillAssertion(when, scope), scope.values()));
  const fired = answers.flatMap((answer, index) => (answer?.held && answer.problem === undefined ? [index] : []));
  const undecided = answers.find((answer) => answer?.problem !== undefined);
  return undecided?.problem === undefined ? { fired } : { fired, undecided: undecidedError(undecided.problem) };
}

// Copies and freezes the output, so that later nodes read the value of the journal even if the action changes its object afterwards.
function toRecordedOutput(output: unknown): unknown {
  if (output === undefined) return undefined;
  if (isFlat(output)) return Object.freeze({ ...output });
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : deepFreeze(JSON.parse(text));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
    throw new RecipeError('action.output_not_json', 'harness', `The output of the action is not JSON: ${why}`, undefined, {
      cause: thrown,
    });
  }
}

/** Whether the output is an object of plain values. Such an object is already JSON, so long strings need no conversion and parsing. */
function isFlat(output: unknown): output is object {
  if (typeof output !== 'object' || output === null || Object.getPrototypeOf(output) !== Object.prototype) return false;
  return Object.values(output).every((value) => {
    return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);
  });
}
