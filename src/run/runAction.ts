// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.
import type { Action, ActionResult, BodyResult } from '../actions/action.js';
import type { RecipeNode } from '../dialects/recipe.js';
import { describeAssert, toAssert } from '../evidence/assert.js';
import { RecipeError, toRecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import { frozen } from '../graph/frozen.js';
import { evaluate } from '../graph/predicate.js';
import { withParams } from './callParams.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import { keepArtifacts } from './keepArtifacts.js';
import { lookAtState } from './lookAtState.js';
import { maskedError } from './maskedError.js';
import { NodeContext } from './nodeContext.js';
import type { Ending } from './nodeLines.js';
import { fillAssertion, type Prepared } from './prepareNode.js';
import { bodyFailure, runBody } from './runBody.js';
import { timeoutOf } from './targets.js';
import { withDeadline } from './withDeadline.js';

export type Work = { action: Action; prepared: Prepared; step: HostStep };

/** What can be done at once is: only what waits for something gives a promise. */
export function runAction(conductor: Conductor, flight: Flight, work: Work): Ending | Promise<Ending> {
  const failed = (thrown: unknown): Ending => ({ failure: maskedError(toRecipeError(thrown), conductor.job.secrets.vault) });
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const ready = withParams(work.prepared, conductor.job.loaded.compiled.recipe.flows);
    const done = ready === work.prepared ? work : { ...work, prepared: ready };
    const result = perform(conductor, flight, done);
    const ending =
      result instanceof Promise
        ? result.then((later) => conclude(conductor, flight, done, later))
        : conclude(conductor, flight, done, result);
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
    action.run(prepared.fields, new NodeContext(conductor, flight, { action, prepared, call: step.call, deadline, body })) ?? {};
  // Work that hangs is given up after a moment; a body is waited for, since each of its nodes is given up by itself.
  const graceMs = opens ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  const bounds = { clock: job.clock, timeoutMs, graceMs, stop: flight.stop };
  if (!opens && job.stateRefs.size === 0) return withDeadline(start, bounds);
  return withDeadline(async () => {
    const body = opens ? await runBody(conductor, flight, prepared) : undefined;
    await lookBefore(conductor, flight, action);
    const result = (await start(body)) ?? {};
    const failure = result.failure ?? (body && bodyFailure(conductor, flight, body.status));
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
  const result = resultOf(given);
  const { job } = conductor;
  const captures = result.artifacts ?? [];
  if (captures.length === 0 && job.stateRefs.size === 0) return settle(conductor, flight, work, { result, artifacts: [] });
  const later = async (): Promise<Ending> => {
    const edges = flight.parent?.run.node.recipe.body?.edges ?? [];
    await lookAtState(job, flight, [flight.node.assert, ...edges.map(({ when }) => when)]);
    const artifacts = await keepArtifacts(conductor, work.step, { path: flight.run.path, captures });
    return settle(conductor, flight, work, { result, artifacts });
  };
  return later();
}

// What a project's own action gives is not checked by a compiler.
function resultOf(given: ActionResult | undefined): ActionResult {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const message = `The action gave ${JSON.stringify(given) ?? typeof given}, not a result. Return { output: … } or nothing.`;
    throw new RecipeError('action.bad_result', 'harness', message);
  }
  return given.failure === undefined ? given : { ...given, failure: toRecipeError(given.failure) };
}

type Done = { result: ActionResult; artifacts: readonly Artifact[] };

function settle(conductor: Conductor, flight: Flight, work: Work, { result, artifacts }: Done): Ending {
  const { run, region, node } = flight;
  const { vault } = conductor.job.secrets;
  const output = vault.maskJson(asRecorded(result.output));
  // What an action compared, and with what, is its own text: it may hold what it was given.
  const shown = result.asserts ? { ...result, asserts: vault.maskJson(result.asserts) as readonly Assert[] } : result;
  const asserts = assertsOf(work, flight, shown, output);
  if (output !== undefined) {
    region.keep(run.node.id, output, run.item);
    if (run.node.next.kind !== 'end') region.last = output;
    if (node.saveAs !== undefined) region.save(node.saveAs, output);
  }
  const failure = result.failure ?? failedAssert(asserts) ?? unknownCase(node, result);
  if (result.streams && !failure && run.parent !== undefined) conductor.streams.set(run.path, result.streams.stdout);
  const ending: Ending = {};
  const recorded = result.recorded === undefined ? output : vault.maskJson(asRecorded(result.recorded));
  if (recorded !== undefined) ending.output = recorded;
  if (failure) ending.failure = maskedError(failure, vault);
  const taken = caseTaken(node, result);
  if (taken !== undefined) ending.case = taken;
  const fired = firedEdges(flight);
  if (fired) ending.fired = fired;
  if (asserts.length > 0) ending.asserts = asserts;
  if (artifacts.length > 0) ending.artifacts = artifacts;
  if (result.issues && result.issues.length > 0) ending.issues = vault.maskJson(result.issues) as typeof result.issues;
  return ending;
}

// What later nodes read is what the journal says, not an object that the action goes on changing.
function asRecorded(output: unknown): unknown {
  if (output === undefined) return undefined;
  if (isFlat(output)) return Object.freeze({ ...output });
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : frozen(JSON.parse(text));
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

const none: readonly Assert[] = [];

function assertsOf(
  { action, prepared: { assert } }: Work,
  flight: Flight,
  result: ActionResult,
  output: unknown,
): readonly Assert[] {
  const { node, scope } = flight;
  const own = (result.asserts ?? none).map((made) => claimedBy(node, made));
  const inline = assert && !action.readsAssert && !result.failure;
  if (own.length === 0 && !inline) return none;
  const all = inline ? [...own, toAssert(assert, evaluate(assert, scope.valuesOver(output)), node.proofTarget)] : [...own];
  return node.proves ? all.flatMap(forEachClaim(node)) : all;
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

/** Which conditional edges out of this node hold, for a node of a dag. */
function firedEdges({ run, parent, scope }: Flight): number[] | undefined {
  const out = parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id);
  if (!out?.some((edge) => edge.when)) return undefined;
  return out.flatMap(({ when }, index) => (when && evaluate(fillAssertion(when, scope), scope.values()).held ? [index] : []));
}
