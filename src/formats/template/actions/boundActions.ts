// The two actions of a bound recipe: one command, and the group around others. They keep what came of each node for the report of the run.
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
  /** Gets every command when it is started. */
  calls: Call[];
  /** Ends the run with an error that is no failure of a command. */
  refuse(thrown: unknown): void;
};

export function createBoundActions(run: BoundRun): { actions: Action[]; getOutcome(): Outcome } {
  const record = new RunRecord(run);
  const schema = z.strictObject({});
  const command = defineAction({
    name: boundActionNames.command,
    description: 'Runs one command of a template whose values are known.',
    schema,
    examples: [],
    effect: 'user',
    // The command is killed with its tree, which takes as long as it takes.
    stopMs: Number.POSITIVE_INFINITY,
    run: (_, context) => runNode(record, record.getNode(context), context),
  });
  const group = defineAction({
    name: boundActionNames.group,
    description: 'Runs the nodes of a template whose values are known, in turn or side by side.',
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

type Tries = { count: number; all: Outcome };

class RunRecord {
  /** By run path: with the attempt for a failed try, without it for the outcome of the node. */
  readonly outcomes = new Map<string, Outcome>();
  readonly tries = new Map<string, Tries>();
  /** By the run path of branches of which one has ended the run. */
  private readonly branchStops = new Map<string, AbortController>();

  constructor(readonly run: BoundRun) {}

  getNode({ node: { pointer } }: ActionContext): BoundNode {
    return this.run.nodes.get(pointer) as BoundNode;
  }

  getTries(path: string): Tries {
    const key = withoutAttempt(path);
    const tries = this.tries.get(key) ?? { count: 0, all: emptyOutcome() };
    this.tries.set(key, tries);
    return tries;
  }

  /** Undefined for the first command of the run, whose input is closed. */
  readInput(path: string, node: BoundNode): Buffer | undefined {
    const { parent } = node;
    if (!parent) return undefined;
    const parentPath = getParentPath(path);
    if (node.isRecovery) return this.outcomes.get(parentPath)?.stdout;
    const before = parent.work.kind === 'sequence' ? parent.children[node.index - 1] : undefined;
    if (!before) return this.readInput(parentPath, parent);
    const outcome = this.outcomes.get(`${parentPath}/${before.id}`);
    return outcome?.code === 0 ? outcome.stdout : Buffer.alloc(0);
  }

  /** In compat a command runs on when a branch beside it ends the run; only the caller stops it. */
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
    // A skipped step hands on its input, a skipped branch nothing. In the reference both hand it on.
    const isBranch = node.parent?.work.kind === 'branches' && !record.run.compat;
    return concludeNode(record, node, { path, outcome: emptyOutcome(isBranch ? undefined : stdin), isStopped: signal.aborted });
  }
  if (work.kind !== 'command') throw new Error(`${node.pointer} holds no command.`);
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
  // The reference leaves the commands beside it alone, and starts nothing after it.
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
  refuseWords(argv);
  const { reason, ...result } = await exec({ argv, stdin, timeoutMs, retry, signal });
  Object.assign(call, result, reason === undefined ? {} : { reason });
  const { code, killed, stdout, stderr } = result;
  return { ...emptyOutcome(stdout), code, killed, stderr, commands: [printCommand(argv)], unexpected: code === 0 ? [] : [call] };
}

// The reference passes on the messages of Node.
function refuseWords([program, ...args]: readonly string[]): void {
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
      withdraw();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const withdraw = systemClock.after(ms, end);
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
  const isLate = timeoutMs !== undefined && isPastDeadline(context);
  const outcome = isLate ? timedOutOutcome(combined, timeoutMs) : combined;
  // The time limit of a group stops its steps, but the group can still be tried again.
  const isStopped = record.getSignal(path, node, context).aborted && !isLate;
  return concludeNode(record, node, { path, outcome, isStopped });
}

function isPastDeadline({ signal, remainingMs }: ActionContext): boolean {
  if (!signal.aborted) return remainingMs() <= 1;
  return signal.reason instanceof RecipeError && signal.reason.code === 'action.timed_out';
}

type NodeEnd = { path: string; outcome: Outcome; isStopped: boolean };

/** Says what the engine does next: goes on, tries the node again, or starts nothing more in the group around it. */
function concludeNode(record: RunRecord, node: BoundNode, end: NodeEnd): ActionResult {
  if (node.maxTries === undefined) return endBoundNode(record, node, end);
  const { path, isStopped } = end;
  const { compat } = record.run;
  const outcome = forgive(node, end);
  const tries = record.getTries(path);
  tries.count++;
  addReports(tries.all, outcome);
  const ended = { path, outcome: withReports(outcome, tries), isStopped };
  // A failed step that was passed over is a reason to try the group again.
  if (outcome.code === 0 && (compat || outcome.unexpected.length === 0)) return endBoundNode(record, node, ended);
  addFailure(tries.all.failures, outcome);
  if (tries.count >= node.maxTries || (isStopped && !compat)) return endBoundNode(record, node, ended);
  record.outcomes.set(path, outcome);
  return { failure: nodeFailed };
}

/** An author who writes "continue" expects failures. A run that was stopped is another matter. */
function forgive({ mayFail }: BoundNode, { outcome, isStopped }: NodeEnd): Outcome {
  return mayFail && !isStopped ? { ...outcome, unexpected: [] } : outcome;
}

function withReports(outcome: Outcome, { all: { commands, failures, branches } }: Tries): Outcome {
  return { ...outcome, commands, failures, branches };
}

/** The node has ended, after its last try. */
function endBoundNode(record: RunRecord, node: BoundNode, end: NodeEnd): ActionResult {
  const outcome = forgive(node, end);
  if (node.isRecovery && node.parent) return settleRecovery(record, node.parent, { ...end, outcome });
  record.outcomes.set(withoutAttempt(end.path), outcome);
  if (outcome.code === 0) return {};
  return stopsGroup(record, node, { ...end, outcome }) ? { failure: nodeFailed, final: true } : { failure: nodeFailed };
}

/** A failed recovery ends the tries, and its failure is that of the node. */
function settleRecovery(record: RunRecord, node: BoundNode, { path, outcome, isStopped }: NodeEnd): ActionResult {
  const tryPath = getParentPath(path);
  const tries = record.getTries(tryPath);
  addReports(tries.all, outcome);
  if (outcome.code === 0) return {};
  addFailure(tries.all.failures, outcome);
  const unexpected = [...(record.outcomes.get(tryPath)?.unexpected ?? []), ...outcome.unexpected];
  const scope = widestScope(outcome.scope, node.failure);
  return endBoundNode(record, node, {
    path: tryPath,
    outcome: { ...withReports(outcome, tries), scope, unexpected },
    isStopped,
  });
}

/** Whether nothing more starts in the group around a node that failed. */
function stopsGroup(record: RunRecord, node: BoundNode, { path, outcome }: NodeEnd): boolean {
  const reach = getReach(node, outcome);
  if (outcome.wasStopped) return true;
  if (node.parent?.work.kind !== 'branches') return reach !== 'continue';
  // The reference lets all branches run to their end.
  if (reach !== 'root' || record.run.compat) return false;
  record.getBranchStop(getParentPath(path)).abort('a branch ended the run');
  return true;
}

/** The engine only reads whether a node failed. The outcome says why. */
const nodeFailed = new RecipeError('command.failed', 'action', 'A command of the template failed.');
