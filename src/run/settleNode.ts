// What came of a node: its output as it is recorded, its assertions evaluated over it, and where that leads.
import type { Action, ActionResult } from '../actions/action.js';
import { andThen, settlePatterns, undecidedError } from '../actions/settlePatterns.js';
import { evaluateAssertion } from '../engine/evaluateAssertion.js';
import { describeAssert, toAssertEntry } from '../evidence/assertEntry.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { BodyEdge, RecipeNode } from '../recipe/recipe.js';
import type { Conductor, Flight } from './conduct.js';
import { maskedError } from './maskedError.js';
import type { Ending } from './nodeLines.js';
import { fillAssertion, type Prepared } from './prepareNode.js';
import { recordedOutput } from './recordedOutput.js';

export type Done = { action: Action; prepared: Prepared; result: ActionResult; artifacts: readonly Artifact[] };

export function settleNode(conductor: Conductor, flight: Flight, done: Done): Ending | Promise<Ending> {
  const { vault } = conductor.job.secrets;
  const { result } = done;
  const output = vault.maskJson(recordedOutput(result.output));
  // What an action compared, and with what, is its own text: it may hold what it was given.
  const own = result.asserts && (vault.maskJson(result.asserts) as readonly Assert[]);
  return andThen(assertsOf(done, flight, { own, output }), (asserts) => {
    keepOutput(flight, output);
    const failure = result.failure ?? failedAssert(asserts) ?? unknownCase(flight.node, result);
    if (!hasConditionalEdges(flight)) return endingOf(conductor, flight, { done, output, asserts, failure });
    return andThen(
      settlePatterns(() => firedEdges(flight)),
      ({ fired, undecided }) => endingOf(conductor, flight, { done, output, asserts, failure: failure ?? undecided, fired }),
    );
  });
}

type Told = {
  done: Done;
  output: unknown;
  asserts: readonly Assert[];
  failure: RecipeError | undefined;
  fired?: readonly number[];
};

function endingOf({ job, streams }: Conductor, { run, node, region }: Flight, told: Told): Ending {
  const { vault } = job.secrets;
  const { output, asserts, failure, fired } = told;
  const { result, artifacts } = told.done;
  if (result.streams && !failure && run.parent !== undefined) {
    streams.set(run.path, result.streams.stdout);
    region.streams.set(run.item ?? run.node.id, result.streams.stdout);
  }
  const ending: Ending = {};
  const recorded = result.recorded === undefined ? output : vault.maskJson(recordedOutput(result.recorded));
  if (recorded !== undefined) ending.output = recorded;
  if (failure) ending.failure = maskedError(failure, vault);
  if (failure && result.final) ending.final = true;
  const taken = caseTaken(node, result);
  if (taken !== undefined) ending.case = taken;
  if (fired) ending.fired = fired;
  if (asserts.length > 0) ending.asserts = asserts;
  if (artifacts.length > 0) ending.artifacts = artifacts;
  if (result.issues && result.issues.length > 0) ending.issues = vault.maskJson(result.issues) as typeof result.issues;
  return ending;
}

function keepOutput({ run, region, node }: Flight, output: unknown): void {
  if (output === undefined) return;
  region.keep(run.node.id, output, run.item);
  if (run.node.next.kind !== 'end') region.last = output;
  if (node.saveAs !== undefined) region.save(node.saveAs, output);
}

const none: readonly Assert[] = [];

type Given = { own: readonly Assert[] | undefined; output: unknown };

function assertsOf(
  { action, prepared: { assert }, result }: Done,
  { node, scope }: Flight,
  { own = none, output }: Given,
): readonly Assert[] | Promise<readonly Assert[]> {
  const inline = assert && !action.readsAssert && !result.failure;
  if (own.length === 0 && !inline) return none;
  const made = own.map((one) => claimedBy(node, one));
  if (!inline) return forClaims(node, made);
  const evaluation = settlePatterns(() => evaluateAssertion(assert, scope.valuesOver(output)));
  return andThen(evaluation, (later) => forClaims(node, [...made, toAssertEntry(assert, later, node.proofTarget)]));
}

function forClaims(node: RecipeNode, asserts: readonly Assert[]): readonly Assert[] {
  return node.proves ? asserts.flatMap(forEachClaim(node)) : asserts;
}

// An action speaks for the claim of its node and for no other.
function claimedBy({ proofTarget }: RecipeNode, { proofTarget: _, ...made }: Assert): Assert {
  return proofTarget === undefined ? made : { ...made, proofTarget };
}

// One that fails fails every claim the node serves.
function forEachClaim({ proofTarget, proves }: RecipeNode): (made: Assert) => Assert[] {
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

function edgesOf({ run, parent }: Flight): readonly BodyEdge[] {
  return parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id) ?? [];
}

function hasConditionalEdges(flight: Flight): boolean {
  return flight.parent !== undefined && edgesOf(flight).some((edge) => edge.when);
}

/** Which conditional edges out of this node hold, for a node of a dag; one that nobody can decide fails the node. */
function firedEdges(flight: Flight): { fired: number[]; undecided?: RecipeError } {
  const { scope } = flight;
  const answers = edgesOf(flight).map(({ when }) => when && evaluateAssertion(fillAssertion(when, scope), scope.values()));
  const fired = answers.flatMap((answer, index) => (answer?.held && answer.problem === undefined ? [index] : []));
  const open = answers.find((answer) => answer?.problem !== undefined);
  return open?.problem === undefined ? { fired } : { fired, undecided: undecidedError(open.problem) };
}
