// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.
import type { Action, ActionContext, ActionResult, BodyResult, Capture } from '../actions/action.js';
import type { RecipeNode } from '../dialects/recipe.js';
import { present } from '../document/present.js';
import { describeAssert, toAssert } from '../evidence/assert.js';
import { type FailureKind, RecipeError, toRecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import type { Status } from '../graph/plan.js';
import { evaluate } from '../graph/predicate.js';
import { withoutAttempt } from '../graph/runPath.js';
import { sha256 } from '../system/files.js';
import { emptySpool } from '../system/spool.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import type { Ending } from './performNode.js';
import type { Prepared } from './prepareNode.js';
import { timeoutOf } from './targets.js';
import { withDeadline } from './withDeadline.js';

export type Work = { node: RecipeNode; action: Action; prepared: Prepared; step: HostStep };

export async function runAction(conductor: Conductor, flight: Flight, work: Work): Promise<Ending> {
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const result = await perform(conductor, flight, work);
    return await conclude(conductor, flight, work, result);
  } catch (thrown) {
    return { failure: toRecipeError(thrown) };
  }
}

async function perform(conductor: Conductor, flight: Flight, { node, action, prepared, step }: Work): Promise<ActionResult> {
  const { job } = conductor;
  const opens = flight.run.node.body !== undefined;
  const timeoutMs = timeoutOf(flight.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  const attempt = async (signal: AbortSignal): Promise<ActionResult> => {
    const body = opens ? await runBody(conductor, flight, prepared, signal) : undefined;
    const context = contextOf(conductor, flight, { node, step, signal, deadline, ...present({ body }) });
    const result = await action.run(prepared.fields, context);
    const failure = result.failure ?? (body && bodyFailure(body.status, flight));
    return failure ? { ...result, failure } : result;
  };
  return withDeadline(attempt, { clock: job.clock, timeoutMs, signal: flight.abort.signal });
}

function runBody({ tell }: Conductor, flight: Flight, { fields, items }: Prepared, signal: AbortSignal): Promise<BodyResult> {
  if (signal.aborted) throw signal.reason;
  const inside = flight.scope.child(fields.params);
  flight.inside = inside;
  if (items) flight.items = items;
  return new Promise((resolve) => {
    flight.bodyEnded = (status) => resolve({ status, outputs: inside.outputs, items: inside.items, last: inside.last });
    tell({ t: 'entered', path: flight.run.path, ...(items ? { items: items.length } : {}) }).go();
  });
}

function bodyFailure(status: Status, { failure }: Flight): RecipeError | undefined {
  if (status === 'pass') return undefined;
  if (failure) return new RecipeError(failure.code, failure.kind, failure.message, failure.at, { cause: failure });
  const kind: FailureKind = status === 'fail' ? 'assertion' : 'undecided';
  return new RecipeError('body.ended', kind, `What it ran ended with status ${status}.`);
}

type Around = { node: RecipeNode; step: HostStep; signal: AbortSignal; deadline: number; body?: BodyResult };

function contextOf({ job, streams }: Conductor, flight: Flight, { node, step, signal, deadline, body }: Around): ActionContext {
  const { run, scope } = flight;
  const stdin = run.input === undefined ? undefined : (streams.get(run.input) ?? emptySpool());
  return {
    ...{ node, path: run.path, signal, clock: job.clock, fixtures: job.host.fixtures, projectRoot: job.projectRoot },
    flows: job.loaded.compiled.recipe.flows,
    remainingMs: () => Math.max(1, Math.round(deadline - job.clock.now())),
    outputOf: (id) => scope.outputOf(id),
    evaluate: (assertion) => evaluate(assertion, scope.values()),
    call: step.call,
    ...present({ stdin, body }),
  };
}

async function conclude(
  conductor: Conductor,
  flight: Flight,
  { node, action, step }: Work,
  result: ActionResult,
): Promise<Ending> {
  const { run, region } = flight;
  const { output, streams } = result;
  const asserts = [...(result.asserts ?? []), ...inlineAssert(node, action, flight, result)];
  const artifacts = await keepArtifacts(conductor, step, { path: run.path, captures: result.artifacts ?? [] });
  if (output !== undefined) region.keep(run.node.id, output, run.item);
  if (output !== undefined && run.node.next.kind !== 'end') region.last = output;
  if (node.saveAs !== undefined && output !== undefined) region.save(node.saveAs, output);
  const failure = result.failure ?? failedAssert(asserts);
  if (streams && !failure) conductor.streams.set(run.path, streams.stdout);
  return {
    ...present({ output, failure, case: result.case, fired: firedEdges(flight) }),
    ...(asserts.length > 0 ? { asserts } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
  };
}

function inlineAssert(node: RecipeNode, action: Action, { scope }: Flight, { output, failure }: ActionResult): Assert[] {
  if (!node.assert || action.readsAssert || failure) return [];
  return [toAssert(node.assert, evaluate(node.assert, scope.valuesOver(output)), node.proofTarget)];
}

function failedAssert(asserts: readonly Assert[]): RecipeError | undefined {
  const broken = asserts.find((made) => !made.held);
  return broken && new RecipeError('assertion.failed', 'assertion', describeAssert(broken));
}

/** Which conditional edges out of this node hold, for a node of a dag. */
function firedEdges({ run, parent, scope }: Flight): number[] | undefined {
  const out = parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id);
  if (!out?.some((edge) => edge.when)) return undefined;
  return out.flatMap(({ when }, index) => (when && evaluate(when, scope.values()).held ? [index] : []));
}

async function keepArtifacts(
  conductor: Conductor,
  step: HostStep,
  { path, captures }: { path: string; captures: readonly Capture[] },
): Promise<Artifact[]> {
  const kept: Artifact[] = [];
  for (const capture of captures) {
    const { body, ...described } = { ...capture, path: freePath(conductor, capture.path) };
    await step.attach({ ...described, body });
    kept.push({ ...described, nodeId: withoutAttempt(path), sha256: sha256(body), size: body.length });
  }
  return kept;
}

// A node that is visited again must not replace what it showed before.
function freePath({ artifactPaths }: Conductor, path: string): string {
  let free = path;
  for (let count = 2; artifactPaths.has(free); count++) free = path.replace(/(\.[^./]*)?$/, `-${count}$1`);
  artifactPaths.add(free);
  return free;
}
