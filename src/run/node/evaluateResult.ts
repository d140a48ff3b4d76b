// What came of a node: its output as it is recorded, its assertions evaluated over it, and where that leads.
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

export async function evaluateResult(scheduler: Scheduler, execution: NodeExecution, done: ActionOutcome): Promise<NodeEnding> {
  const { vault } = scheduler.job.secrets;
  const { result } = done;
  const output = vault.maskJson(toRecordedOutput(result.output));
  // What an action compared, and with what, is its own text: it may hold what it was given.
  const own = result.asserts && (vault.maskJson(result.asserts) as readonly Assert[]);
  const asserts = await evaluateAsserts(done, execution, { own, output });
  keepOutput(execution, output);
  const failure = result.failure ?? failedAssert(asserts) ?? unknownCase(execution.node, result);
  if (!hasConditionalEdges(execution)) return buildEnding(scheduler, execution, { done, output, asserts, failure });
  const { fired, undecided } = await evaluateWithPatternThread(() => firedEdges(execution));
  return buildEnding(scheduler, execution, { done, output, asserts, failure: failure ?? undecided, fired });
}

type SettledParts = {
  done: ActionOutcome;
  output: unknown;
  asserts: readonly Assert[];
  failure: RecipeError | undefined;
  fired?: readonly number[];
};

function buildEnding({ job, streams }: Scheduler, { run, node, regionScope }: NodeExecution, parts: SettledParts): NodeEnding {
  const { vault } = job.secrets;
  const { output, asserts, failure, fired } = parts;
  const { result, artifacts } = parts.done;
  if (result.streams && !failure && run.parent !== undefined) {
    streams.set(run.path, result.streams.stdout);
    regionScope.streams.set(run.item ?? run.node.id, result.streams.stdout);
  }
  const ending: NodeEnding = {};
  const recorded = result.recorded === undefined ? output : vault.maskJson(toRecordedOutput(result.recorded));
  if (recorded !== undefined) ending.output = recorded;
  if (failure) ending.failure = maskError(failure, vault);
  if (failure && result.final) ending.final = true;
  const taken = caseTaken(node, result);
  if (taken !== undefined) ending.case = taken;
  if (fired) ending.fired = fired;
  if (asserts.length > 0) ending.asserts = asserts;
  if (artifacts.length > 0) ending.artifacts = artifacts;
  if (result.issues && result.issues.length > 0) ending.issues = vault.maskJson(result.issues) as typeof result.issues;
  return ending;
}

function keepOutput({ run, regionScope, node }: NodeExecution, output: unknown): void {
  if (output === undefined) return;
  regionScope.addOutput(run.node.id, output, run.item);
  if (run.node.next.kind !== 'end') regionScope.last = output;
  if (node.saveAs !== undefined) regionScope.save(node.saveAs, output);
}

const noAsserts: readonly Assert[] = [];

type AssertInput = { own: readonly Assert[] | undefined; output: unknown };

async function evaluateAsserts(
  { action, prepared: { assert }, result }: ActionOutcome,
  { node, scope }: NodeExecution,
  { own = noAsserts, output }: AssertInput,
): Promise<readonly Assert[]> {
  const inline = assert && !action.readsAssert && !result.failure;
  if (own.length === 0 && !inline) return noAsserts;
  const made = own.map((one) => withClaim(node, one));
  if (!inline) return copyForClaims(node, made);
  const evaluation = await evaluateWithPatternThread(() => evaluateAssertion(assert, scope.valuesOver(output)));
  return copyForClaims(node, [...made, toAssertEntry(assert, evaluation, node.proofTarget)]);
}

function copyForClaims(node: RecipeNode, asserts: readonly Assert[]): readonly Assert[] {
  return node.proves ? asserts.flatMap(copyForEachClaim(node)) : asserts;
}

// An action speaks for the claim of its node and for no other.
function withClaim({ proofTarget }: RecipeNode, { proofTarget: _, ...made }: Assert): Assert {
  return proofTarget === undefined ? made : { ...made, proofTarget };
}

// One that fails fails every claim the node serves.
function copyForEachClaim({ proofTarget, proves }: RecipeNode): (made: Assert) => Assert[] {
  return (made) =>
    proves && made.proofTarget === proofTarget ? proves.map((claim) => ({ ...made, proofTarget: claim })) : [made];
}

function failedAssert(asserts: readonly Assert[]): RecipeError | undefined {
  const broken = asserts.find((made) => !made.held);
  return broken && new RecipeError('assertion.failed', 'assertion', describeAssert(broken));
}

/** The case an action gave, or the default when it gave none that the node knows. */
function caseTaken({ routes, fallback }: RecipeNode, { case: given }: ActionResult): string | undefined {
  if (!routes || (given !== undefined && routes.has(given))) return given;
  return fallback === undefined ? given : 'default';
}

function unknownCase(node: RecipeNode, result: ActionResult): RecipeError | undefined {
  if (!node.routes) return undefined;
  const taken = caseTaken(node, result);
  if (taken === 'default' || (taken !== undefined && node.routes.has(taken))) return undefined;
  const message = `${node.action} gave ${taken === undefined ? 'no case' : `the case ${JSON.stringify(taken)}`}; the node goes on by ${[...node.routes.keys()].join(', ')} and has no default.`;
  return new RecipeError('action.unknown_case', 'action', message);
}

function edgesOf({ run, parent }: NodeExecution): readonly BodyEdge[] {
  return parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id) ?? [];
}

function hasConditionalEdges(execution: NodeExecution): boolean {
  return execution.parent !== undefined && edgesOf(execution).some((edge) => edge.when);
}

/** Which conditional edges out of this node hold, for a node of a dag; one that nobody can decide fails the node. */
function firedEdges(execution: NodeExecution): { fired: number[]; undecided?: RecipeError } {
  const { scope } = execution;
  const answers = edgesOf(execution).map(({ when }) => when && evaluateAssertion(fillAssertion(when, scope), scope.values()));
  const fired = answers.flatMap((answer, index) => (answer?.held && answer.problem === undefined ? [index] : []));
  const open = answers.find((answer) => answer?.problem !== undefined);
  return open?.problem === undefined ? { fired } : { fired, undecided: undecidedError(open.problem) };
}

// What later nodes read is what the journal says, not an object that the action goes on changing.

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

/** An object of plain values, which is JSON as it stands: a long text need not be spelled out and read again. */
function isFlat(output: unknown): output is object {
  if (typeof output !== 'object' || output === null || Object.getPrototypeOf(output) !== Object.prototype) return false;
  return Object.values(output).every((value) => {
    return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);
  });
}
