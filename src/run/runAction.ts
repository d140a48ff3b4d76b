// What happens inside a node: its body if it opens one, its action within the deadline, its assertions, its evidence.
import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { type Action, type ActionContext, type ActionResult, type BodyResult, type Capture, needsOf } from '../actions/action.js';
import type { RecipeNode } from '../dialects/recipe.js';
import { present } from '../document/present.js';
import { describeAssert, toAssert } from '../evidence/assert.js';
import { type FailureKind, RecipeError, toRecipeError } from '../evidence/failure.js';
import type { Artifact, Assert } from '../evidence/journal.js';
import { isArtifactPath } from '../evidence/package.js';
import type { Status } from '../graph/plan.js';
import { evaluate } from '../graph/predicate.js';
import { withoutAttempt } from '../graph/runPath.js';
import type { Vault } from '../secrets/vault.js';
import { sha256 } from '../system/files.js';
import { emptySpool } from '../system/spool.js';
import { withParams } from './callParams.js';
import type { Conductor, Flight } from './conduct.js';
import type { HostStep } from './host.js';
import { lookAtState } from './lookAtState.js';
import { maskedError } from './maskedError.js';
import type { Ending } from './nodeLines.js';
import { pick } from './pick.js';
import { fillAssertion, type Prepared } from './prepareNode.js';
import { sizeAtStart } from './sizesAtStart.js';
import { timeoutOf } from './targets.js';
import { withDeadline } from './withDeadline.js';

export type Work = { action: Action; prepared: Prepared; step: HostStep };

export async function runAction(conductor: Conductor, flight: Flight, work: Work): Promise<Ending> {
  const { vault } = conductor.job.secrets;
  try {
    if (work.prepared.problem) throw work.prepared.problem;
    const ready = { ...work, prepared: withParams(work.prepared, conductor.job.loaded.compiled.recipe.flows) };
    const result = await perform(conductor, flight, ready);
    const ending = await conclude(conductor, flight, ready, result);
    return ending.failure ? { ...ending, failure: maskedError(ending.failure, vault) } : ending;
  } catch (thrown) {
    return { failure: maskedError(toRecipeError(thrown), vault) };
  }
}

async function perform(conductor: Conductor, flight: Flight, { action, prepared, step }: Work): Promise<ActionResult> {
  const { job } = conductor;
  const opens = flight.run.node.body !== undefined;
  const timeoutMs = timeoutOf(flight.run.node, job.registry, job.nodeTimeoutMs);
  const deadline = job.clock.now() + timeoutMs;
  const attempt = async (signal: AbortSignal): Promise<ActionResult> => {
    const body = opens ? await runBody(conductor, flight, prepared, signal) : undefined;
    await lookBefore(conductor, flight, action);
    const around = { needs: needsOf(action, flight.node), prepared, step, signal, deadline, ...present({ body }) };
    const context = contextOf(conductor, flight, around);
    const result: ActionResult = (await action.run(prepared.fields, context)) ?? {};
    const failure = result.failure ?? (body && bodyFailure(body.status, flight));
    return failure ? { ...result, failure } : result;
  };
  // Work that hangs is given up after a moment; a body is waited for, since each of its nodes is given up by itself.
  const graceMs = opens ? Number.POSITIVE_INFINITY : (action.stopMs ?? 1_500);
  return withDeadline(attempt, { clock: job.clock, timeoutMs, graceMs, stop: flight.abort });
}

// Just before the action reads them; what a flow promises is about the time after it.
async function lookBefore({ job }: Conductor, flight: Flight, action: Action): Promise<void> {
  const { cases = [], assert, fields } = flight.node;
  const promise = typeof fields.ref === 'string' ? job.loaded.compiled.recipe.flows.get(fields.ref)?.postcondition : undefined;
  const read = [...cases.map(({ when }) => when), promise, action.readsAssert ? assert : undefined];
  await lookAtState(job, flight, read, fields.source ?? fields.node);
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

function contextOf({ job, streams, run: values }: Conductor, flight: Flight, around: Around): ActionContext {
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
    inputs: scope.inputs,
    evaluate: (assertion, over) =>
      over
        ? evaluate(assertion, { ...over, operators: job.operators })
        : evaluate(fillAssertion(assertion, scope, node.templates), scope.values()),
    call: step.call,
    sizeAtStart: (path) => sizeAtStart(values.sizes, job.projectRoot, path),
    ask: job.ask,
    redact: job.secrets.vault.names.length > 0 ? () => job.secrets.vault.redactor() : undefined,
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
  const masked = (value: unknown): unknown => conductor.job.secrets.vault.maskJson(asRecorded(value));
  const output = masked(result.output);
  const edges = flight.parent?.run.node.recipe.body?.edges ?? [];
  await lookAtState(conductor.job, flight, [node.assert, ...edges.map(({ when }) => when)]);
  const asserts = [...(result.asserts ?? []), ...inlineAssert(work, flight, { ...result, output })].flatMap(forEachClaim(node));
  const artifacts = await keepArtifacts(conductor, work.step, { path: run.path, captures: result.artifacts ?? [] });
  if (output !== undefined) region.keep(run.node.id, output, run.item);
  if (output !== undefined && run.node.next.kind !== 'end') region.last = output;
  if (node.saveAs !== undefined && output !== undefined) region.save(node.saveAs, output);
  const failure = result.failure ?? failedAssert(asserts) ?? unknownCase(node, result);
  if (streams && !failure) conductor.streams.set(run.path, streams.stdout);
  return {
    ...present({ output: masked(result.recorded) ?? output, failure, case: caseTaken(node, result), fired: firedEdges(flight) }),
    ...(asserts.length > 0 ? { asserts } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(result.issues && result.issues.length > 0 ? { issues: result.issues } : {}),
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
  const taken = caseTaken(node, result);
  if (!node.routes || taken === 'default' || (taken !== undefined && node.routes.has(taken))) return undefined;
  const message = `${node.action} gave ${taken === undefined ? 'no case' : `the case ${JSON.stringify(taken)}`}; the node goes on by ${[...node.routes.keys()].join(', ')} and has no default.`;
  return new RecipeError('action.unknown_case', 'action', message);
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
    const { body: bytes, ...described } = { ...capture, path: freePath(conductor, posix.normalize(capture.path)) };
    const body = withoutSecrets(bytes, conductor.job.secrets.vault);
    await step.attach({ ...described, body }).catch(notKept);
    kept.push({ ...described, nodeId: withoutAttempt(path), sha256: sha256(body), size: body.length });
  }
  return kept;
}

// A picture stays as it is: what is in there as bytes is found by the scan at the end.
function withoutSecrets(body: Uint8Array, vault: Vault): Uint8Array {
  if (vault.names.length === 0 || !isUtf8(body)) return body;
  const redactor = vault.redactor();
  const masked = redactor.write(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  return Buffer.concat([masked, redactor.end()]);
}

function notKept(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  throw new RecipeError('evidence.not_kept', 'environment', `The evidence could not be kept: ${message}`, undefined, {
    cause: thrown,
  });
}

// A node that is visited again must not replace what it showed before.
function freePath({ run: { artifactPaths } }: Conductor, path: string): string {
  let free = path;
  for (let count = 2; artifactPaths.has(free); count++) free = path.replace(/(\.[^./]*)?$/, `-${count}$1`);
  artifactPaths.add(free);
  return free;
}
