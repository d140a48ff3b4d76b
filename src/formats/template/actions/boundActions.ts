// The two actions of a bound recipe: rw.template_command runs one command, rw.template_group combines the outcomes of its
// children. Both record the outcome of each node for the report of the run.
import { inspect } from 'node:util';
import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { withoutAttempt } from '../../../engine/runPath.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { systemClock } from '../../../system/clock.js';
import { type BoundNode, type BoundRecipe, type BoundWork, boundActionNames } from '../boundRecipe.js';
import type { Call, Exec } from '../call.js';
import { widestScope } from '../controls.js';
import {
  addFailure,
  addReports,
  combineOutcomes,
  emptyOutcome,
  getReach,
  type Outcome,
  stoppedBeforeStepMessage,
  stoppedOutcome,
  timedOutOutcome,
} from '../outcome.js';
import { printCommand } from '../printCommand.js';
import { TemplateError } from '../templateError.js';

export type BoundRun = Pick<BoundRecipe, 'root' | 'nodes'> & {
  exec: Exec;
  compat: boolean;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Every started command, in order. The actions append to the list. */
  calls: Call[];
  /** Ends the run with an error that is not the failure of a command. */
  refuse(thrown: unknown): void;
};

export function createBoundActions(run: BoundRun): { actions: Action[]; getOutcome(): Outcome } {
  const record = new RunRecord(run);
  const schema = z.strictObject({});
  const command = defineAction({
    name: boundActionNames.command,
    description: 'Runs one command of a template after its values are filled in.',
    schema,
    examples: [],
    effect: 'user',
    // Killing the process tree of the command has no time limit.
    stopMs: Number.POSITIVE_INFINITY,
    run: (_, context) => runNode(record, record.getNode(context), context),
  });
  const group = defineAction({
    name: boundActionNames.group,
    description: 'Runs the nodes of a template after their values are filled in, in sequence or in parallel.',
    schema,
    examples: [],
    effect: 'none',
    planRegion: ({ body, pointer }) => {
      const work = run.nodes.get(pointer)?.work;
      const limit = work?.kind === 'branches' ? work.limit : 1;
      return body && { kind: 'all', nodes: body.nodes, inTurn: work?.kind !== 'branches', pipe: false, limit };
    },
    run: (_, context) => concludeGroup(record, record.getNode(context), context),
  });
  return {
    actions: [command, group],
    getOutcome: () => record.outcomes.get(run.root.id) ?? stoppedOutcome('the run was stopped before it began'),
  };
}

/** `merged` collects the reports of all attempts. */
type AttemptRecord = { count: number; merged: Outcome };

class RunRecord {
  /** By run path. A path with an attempt number holds a failed attempt. A path without holds the outcome of the node. */
  readonly outcomes = new Map<string, Outcome>();
  readonly attempts = new Map<string, AttemptRecord>();
  /** By the run path of a parallel group. A branch that ends the run aborts its siblings. */
  private readonly branchStops = new Map<string, AbortController>();

  constructor(readonly run: BoundRun) {}

  getNode({ node: { pointer } }: ActionContext): BoundNode {
    return this.run.nodes.get(pointer) as BoundNode;
  }

  getAttempts(path: string): AttemptRecord {
    const key = withoutAttempt(path);
    const attempts = this.attempts.get(key) ?? { count: 0, merged: emptyOutcome() };
    this.attempts.set(key, attempts);
    return attempts;
  }

  /** Returns the bytes for the stdin of a node. Undefined for the first command of the run, whose stdin is closed. */
  readInput(path: string, node: BoundNode): Buffer | undefined {
    const { parent } = node;
    if (!parent) return undefined;
    const parentPath = getParentPath(path);
    if (node.isRecovery) return this.outcomes.get(parentPath)?.stdout;
    const previous = parent.work.kind === 'sequence' ? parent.children[node.index - 1] : undefined;
    if (!previous) return this.readInput(parentPath, parent);
    const outcome = this.outcomes.get(`${parentPath}/${previous.id}`);
    return outcome?.code === 0 ? outcome.stdout : Buffer.alloc(0);
  }

  /** With `compat`, only the caller stops a command. A sibling branch that ends the run does not. */
  getSignal(path: string, node: BoundNode, context: ActionContext): AbortSignal {
    const { compat, signal } = this.run;
    if (compat) return signal;
    return AbortSignal.any([signal, context.signal, ...this.listBranchStops(path, node)]);
  }

  private listBranchStops(path: string, { parent }: BoundNode): AbortSignal[] {
    if (!parent) return [];
    const parentPath = getParentPath(path);
    const outer = this.listBranchStops(parentPath, parent);
    return parent.work.kind === 'branches' ? [this.getBranchStop(parentPath).signal, ...outer] : outer;
  }

  getBranchStop(path: string): AbortController {
    const stop = this.branchStops.get(path) ?? new AbortController();
    this.branchStops.set(path, stop);
    return stop;
  }
}

function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

async function runNode(record: RunRecord, node: BoundNode, context: ActionContext): Promise<ActionResult> {
  const { path } = context;
  const { work } = node;
  const signal = record.getSignal(path, node, context);
  if (work.kind === 'refused') return refuseNode(record, work.error);
  if ('delayMs' in work && work.delayMs > 0) await wait(work.delayMs, signal);
  const stdin = record.readInput(path, node);
  if (work.kind === 'skip') {
    // A skipped step passes its input to the next step, a skipped branch passes nothing. In the reference implementation, both
    // pass their input.
    const isBranch = node.parent?.work.kind === 'branches' && !record.run.compat;
    return concludeNode(record, node, { path, outcome: emptyOutcome(isBranch ? undefined : stdin), isStopped: signal.aborted });
  }
  if (work.kind !== 'command') throw new Error(`The node ${node.pointer} has no command. This is a bug in recipewright.`);
  if (signal.aborted && !record.run.compat)
    return concludeNode(record, node, { path, outcome: stoppedOutcome(stoppedBeforeStepMessage), isStopped: true });
  try {
    const outcome = await startCommand(record.run, work, { stdin, signal });
    return concludeNode(record, node, { path, outcome, isStopped: signal.aborted });
  } catch (thrown) {
    return refuseNode(record, thrown);
  }
}

function refuseNode({ run }: RunRecord, thrown: unknown): ActionResult | Promise<ActionResult> {
  run.refuse(thrown);
  // The reference implementation lets the commands of sibling branches run, and starts no later command.
  return run.compat ? new Promise<never>(() => undefined) : { failure: nodeFailed, final: true };
}

async function startCommand(
  { exec, calls }: BoundRun,
  { argv, timeoutMs, retry }: Extract<BoundWork, { kind: 'command' }>,
  { stdin, signal }: { stdin: Buffer | undefined; signal: AbortSignal },
): Promise<Outcome> {
  const call: Call = { argv };
  if (stdin !== undefined) call.stdin = stdin;
  if (timeoutMs !== undefined) call.timeout = timeoutMs;
  if (retry !== undefined) call.retry = retry;
  calls.push(call);
  requireValidWords(argv);
  const { reason, ...result } = await exec({ argv, stdin, timeoutMs, retry, signal });
  Object.assign(call, result, reason === undefined ? {} : { reason });
  const { code, killed, stdout, stderr } = result;
  return { ...emptyOutcome(stdout), code, killed, stderr, commands: [printCommand(argv)], unexpected: code === 0 ? [] : [call] };
}

// Throws the messages of Node, as the reference implementation does.
function requireValidWords([program, ...args]: readonly string[]): void {
  if (program === '') throw new TemplateError('template.empty_command', "The argument 'file' cannot be empty. Received ''");
  const words = [['file', program] as const, ...args.map((word, index) => [`args[${index}]`, word] as const)];
  for (const [name, word] of words) {
    if (!word?.includes('\0')) continue;
    const message = `The argument '${name}' must be a string without null bytes. Received ${inspect(word)}`;
    throw new TemplateError('template.null_byte', message);
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = systemClock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

function concludeGroup(record: RunRecord, node: BoundNode, context: ActionContext): ActionResult {
  const { path } = context;
  const combined = combineOutcomes(
    node,
    node.children.map(({ id }) => record.outcomes.get(`${path}/${id}`)),
  );
  const timeoutMs = 'timeoutMs' in node.work ? node.work.timeoutMs : undefined;
  const timedOut = timeoutMs !== undefined && isPastDeadline(context);
  const outcome = timedOut ? timedOutOutcome(combined, timeoutMs) : combined;
  // The timeout of a group stops its steps, but not the retries of the group.
  const isStopped = record.getSignal(path, node, context).aborted && !timedOut;
  return concludeNode(record, node, { path, outcome, isStopped });
}

function isPastDeadline({ signal, remainingMs }: ActionContext): boolean {
  if (!signal.aborted) return remainingMs() <= 1;
  return signal.reason instanceof RecipeError && signal.reason.code === 'action.timed_out';
}

type NodeEnd = { path: string; outcome: Outcome; isStopped: boolean };

/**
 * Returns the result that tells the engine what to do next: continue, retry the node, or start nothing more in the parent group.
 */
function concludeNode(record: RunRecord, node: BoundNode, end: NodeEnd): ActionResult {
  if (node.maxAttempts === undefined) return endBoundNode(record, node, end);
  const { path, isStopped } = end;
  const { compat } = record.run;
  const outcome = dropAllowedFailures(node, end);
  const attempts = record.getAttempts(path);
  attempts.count++;
  addReports(attempts.merged, outcome);
  const mergedEnd = { path, outcome: withReports(outcome, attempts), isStopped };
  // A group also retries when one of its steps failed and the group continued.
  if (outcome.code === 0 && (compat || outcome.unexpected.length === 0)) return endBoundNode(record, node, mergedEnd);
  addFailure(attempts.merged.failures, outcome);
  if (attempts.count >= node.maxAttempts || (isStopped && !compat)) return endBoundNode(record, node, mergedEnd);
  record.outcomes.set(path, outcome);
  return { failure: nodeFailed };
}

/** With "failure": "continue", the author expects failures. A stopped run is never expected. */
function dropAllowedFailures({ mayFail }: BoundNode, { outcome, isStopped }: NodeEnd): Outcome {
  return mayFail && !isStopped ? { ...outcome, unexpected: [] } : outcome;
}

function withReports(outcome: Outcome, { merged: { commands, failures, branches } }: AttemptRecord): Outcome {
  return { ...outcome, commands, failures, branches };
}

/** Ends a node after its last attempt. */
function endBoundNode(record: RunRecord, node: BoundNode, end: NodeEnd): ActionResult {
  const outcome = dropAllowedFailures(node, end);
  if (node.isRecovery && node.parent) return endRecovery(record, node.parent, { ...end, outcome });
  record.outcomes.set(withoutAttempt(end.path), outcome);
  if (outcome.code === 0) return {};
  return stopsGroup(record, node, { ...end, outcome }) ? { failure: nodeFailed, final: true } : { failure: nodeFailed };
}

/** A failed recovery ends the retries, and its failure becomes the failure of the node. */
function endRecovery(record: RunRecord, node: BoundNode, { path, outcome, isStopped }: NodeEnd): ActionResult {
  const attemptPath = getParentPath(path);
  const attempts = record.getAttempts(attemptPath);
  addReports(attempts.merged, outcome);
  if (outcome.code === 0) return {};
  addFailure(attempts.merged.failures, outcome);
  const unexpected = [...(record.outcomes.get(attemptPath)?.unexpected ?? []), ...outcome.unexpected];
  const scope = widestScope(outcome.scope, node.failure);
  return endBoundNode(record, node, {
    path: attemptPath,
    outcome: { ...withReports(outcome, attempts), scope, unexpected },
    isStopped,
  });
}

/** Whether the failure of a node ends its parent group, so that no more of its steps start. */
function stopsGroup(record: RunRecord, node: BoundNode, { path, outcome }: NodeEnd): boolean {
  const reach = getReach(node, outcome);
  if (outcome.wasStopped) return true;
  if (node.parent?.work.kind !== 'branches') return reach !== 'continue';
  // The reference implementation lets all branches run to their end.
  if (reach !== 'root' || record.run.compat) return false;
  record.getBranchStop(getParentPath(path)).abort('a branch ended the run');
  return true;
}

/** The engine only checks whether a node failed. The reason is in the outcome. */
const nodeFailed = new RecipeError('command.failed', 'action', 'A command of the template failed.');
