// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.
import { posix } from 'node:path';
import type { Action, ActionContext, ActionResult, BodyResult, Capture } from '../actions/action.js';
import { present } from '../document/present.js';
import { describeAssert, toAssert } from '../evidence/assert.js';
import { type FailureKind, RecipeError, toRecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import { isArtifactPath } from '../evidence/package.js';
import type { Status } from '../graph/plan.js';
import { evaluate } from '../graph/predicate.js';
import { withoutAttempt } from '../graph/runPath.js';
import { sha256 } from '../system/files.js';
import { emptySpool } from '../system/spool.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import type { Ending } from './nodeLines.js';
import { fillAssertion, type Prepared } from './prepareNode.js';
import { timeoutOf } from './targets.js';
import { withDeadline } from './withDeadline.js';

export type Work = { action: Action; prepared: Prepared; step: HostStep };

export async function runAction(conductor: Conductor, flight: Flight, work: Work): Promise<Ending> {
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const result = await perform(conductor, flight, work);
    return await conclude(conductor, flight, work, result);
  } catch (thrown) {
    return { failure: toRecipeError(thrown) };
  }
}

async function perform(conductor: Conductor, flight: Flight, { action, prepared, step }: Work): Promise<ActionResult> {
  const { job } = conductor;
  const opens = flight.run.node.body !== undefined;
  const timeoutMs = timeoutOf(flight.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  const attempt = async (signal: AbortSignal): Promise<ActionResult> => {
    const body = opens ? await runBody(conductor, flight, prepared, signal) : undefined;
    const around = { needs: action.needs ?? [], prepared, step, signal, deadline, ...present({ body }) };
    const context = contextOf(conductor, flight, around);
    const result: ActionResult = (await action.run(prepared.fields, context)) ?? {};
    const failure = result.failure ?? (body && bodyFailure(body.status, flight));
    return failure ? { ...result, failure } : result;
  };
  // Work that hangs is given up after a moment; a body is waited for, since each of its nodes is given up by itself.
  const graceMs = opens ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  return withDeadline(attempt, { clock: job.clock, timeoutMs, graceMs, stop: flight.abort });
}

function runBody(
  { tell, stopBelow }: Conductor,
  flight: Flight,
  { fields, items }: Prepared,
  signal: AbortSignal,
): Promise<BodyResult> {
  if (signal.aborted) throw signal.reason;
  const inside = flight.scope.child(fields.params);
  flight.inside = inside;
  if (items) flight.items = items;
  signal.addEventListener('abort', () => stopBelow(flight, 'the node around it was stopped'), { once: true });
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

type Around = {
  needs: readonly string[];
  prepared: Prepared;
  step: HostStep;
  signal: AbortSignal;
  deadline: number;
  body?: BodyResult;
};

function contextOf({ job, streams }: Conductor, flight: Flight, around: Around): ActionContext {
  const { needs, prepared, step, signal, deadline, body } = around;
  const { run, scope } = flight;
  const node = prepared.assert ? { ...flight.node, assert: prepared.assert } : flight.node;
  const stdin = run.input === undefined ? undefined : (streams.get(run.input) ?? emptySpool());
  return {
    ...{ node, path: run.path, signal, clock: job.clock, fixtures: pick(job.host.fixtures, needs), projectRoot: job.projectRoot },
    runId: job.runId,
    passEnv: job.passEnv,
    flows: withFilledPromise(job.loaded.compiled.recipe.flows, flight, prepared),
    remainingMs: () => Math.max(1, Math.round(deadline - job.clock.now())),
    outputOf: (id) => scope.outputOf(id),
    read: (source, keys) => scope.read(source, keys),
    param: (name) => scope.param(name),
    evaluate: (assertion) => evaluate(fillAssertion(assertion, scope), scope.values()),
    call: step.call,
    ...present({ stdin, body }),
  };
}

type Flows = ActionContext['flows'];

// A postcondition speaks of the params its flow was called with.
function withFilledPromise(flows: Flows, { inside }: Flight, { fields: { ref } }: Prepared): Flows {
  const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
  if (!inside || !flow?.postcondition) return flows;
  const postcondition = fillAssertion(flow.postcondition, inside);
  return postcondition === flow.postcondition ? flows : new Map([...flows, [flow.id, { ...flow, postcondition }]]);
}

async function conclude(conductor: Conductor, flight: Flight, work: Work, result: ActionResult): Promise<Ending> {
  const { run, region, node } = flight;
  const { streams } = result;
  const output = asRecorded(result.output);
  const asserts = [...(result.asserts ?? []), ...inlineAssert(work, flight, { ...result, output })];
  const artifacts = await keepArtifacts(conductor, work.step, { path: run.path, captures: result.artifacts ?? [] });
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

// What later nodes read is what the journal says, not an object that the action goes on changing.
function asRecorded(output: unknown): unknown {
  if (output === undefined) return undefined;
  try {
    const text = JSON.stringify(output) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
    throw new RecipeError('action.output_not_json', 'harness', `The output of the action is not JSON: ${why}`, undefined, {
      cause: thrown,
    });
  }
}

function inlineAssert({ action, prepared: { assert } }: Work, { scope, node }: Flight, result: ActionResult): Assert[] {
  if (!assert || action.readsAssert || result.failure) return [];
  return [toAssert(assert, evaluate(assert, scope.valuesOver(result.output)), node.proofTarget)];
}

function failedAssert(asserts: readonly Assert[]): RecipeError | undefined {
  const broken = asserts.find((made) => !made.held);
  return broken && new RecipeError('assertion.failed', 'assertion', describeAssert(broken));
}

/** Which conditional edges out of this node hold, for a node of a dag. */
function firedEdges({ run, parent, scope }: Flight): number[] | undefined {
  const out = parent?.run.node.recipe.body?.edges.filter((edge) => edge.from === run.node.id);
  if (!out?.some((edge) => edge.when)) return undefined;
  return out.flatMap(({ when }, index) => (when && evaluate(fillAssertion(when, scope), scope.values()).held ? [index] : []));
}

async function keepArtifacts(
  conductor: Conductor,
  step: HostStep,
  { path, captures }: { path: string; captures: readonly Capture[] },
): Promise<Artifact[]> {
  const kept: Artifact[] = [];
  for (const capture of captures) {
    if (!isArtifactPath(posix.normalize(capture.path))) {
      const message = `An artifact cannot be kept as ${JSON.stringify(capture.path)}: the path leaves the package or is one of its own files.`;
      throw new RecipeError('evidence.bad_path', 'harness', message);
    }
    const { body, ...described } = { ...capture, path: freePath(conductor, posix.normalize(capture.path)) };
    await step.attach({ ...described, body }).catch(notKept);
    kept.push({ ...described, nodeId: withoutAttempt(path), sha256: sha256(body), size: body.length });
  }
  return kept;
}

function notKept(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  throw new RecipeError('evidence.not_kept', 'environment', `The evidence could not be kept: ${message}`, undefined, {
    cause: thrown,
  });
}

/** An action sees only the fixtures it asks for. */
function pick(fixtures: Readonly<Record<string, unknown>>, needs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(needs.map((name) => [name, fixtures[name]]));
}

// A node that is visited again must not replace what it showed before.
function freePath({ artifactPaths }: Conductor, path: string): string {
  let free = path;
  for (let count = 2; artifactPaths.has(free); count++) free = path.replace(/(\.[^./]*)?$/, `-${count}$1`);
  artifactPaths.add(free);
  return free;
}
