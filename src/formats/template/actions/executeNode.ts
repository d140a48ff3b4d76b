// Runs a command template node by node, with the scopes of failure that the reference has.
import { type FailureScope, parseFailureScope, widestScope } from '../controls.js';
import { toNode } from '../model.js';
import { type ResolvedNode, resolveNode, type Step } from '../resolveNode.js';
import { executeLeaf } from './executeLeaf.js';
import { executeParallel } from './executeParallel.js';
import type { Execution } from './execution.js';
import { addReports, emptyOutcome, forgotten, noteFailure, type Outcome } from './outcome.js';
import { withGroupDeadline } from './withGroupDeadline.js';

export type At = { stdin?: Buffer | undefined; signal: AbortSignal; isRoot: boolean };

export async function executeNode(run: Execution, step: Step, at: At): Promise<Outcome> {
  const opened = resolveNode(step, run);
  await run.wait(opened.delayMs, at.signal);
  if (opened.kind === 'skip') return emptyOutcome(at.stdin);
  const outcome = await perform(run, opened, { ...at, failure: parseFailureScope(step.node.failure) });
  // Whoever writes "continue" expects failures; whoever writes nothing does not.
  return step.node.failure === 'continue' && !at.signal.aborted ? { ...outcome, unforgiven: [] } : outcome;
}

type Inside = At & { failure: FailureScope };

function perform(run: Execution, opened: Exclude<ResolvedNode, { kind: 'skip' }>, at: Inside): Promise<Outcome> {
  if (opened.kind === 'leaf') return executeLeaf(run, opened, at);
  if (opened.kind === 'inner') return executeNode(run, opened.step, { ...at, isRoot: at.isRoot && !run.compat });
  if (opened.kind === 'tries') return executeTries(run, opened, at);
  return withGroupDeadline(opened, at, (inner) => {
    return opened.isParallel ? executeParallel(run, opened, inner) : executeSequence(run, opened, inner);
  });
}

async function executeTries(run: Execution, opened: Extract<ResolvedNode, { kind: 'tries' }>, at: Inside): Promise<Outcome> {
  const all = emptyOutcome();
  for (let tried = 1; ; tried++) {
    const made = await executeNode(run, opened.attempt, at);
    addReports(all, made);
    const ended = { ...made, ...reportsOf(all) };
    if (succeeded(run, made)) return ended;
    noteFailure(all.failures, made);
    if (tried >= opened.max || (!run.compat && at.signal.aborted)) return ended;
    if (!opened.recover) continue;
    const repair = await executeNode(run, opened.recover, { ...at, stdin: made.stdout, isRoot: false });
    addReports(all, repair);
    if (repair.code === 0) continue;
    noteFailure(all.failures, repair);
    const unforgiven = [...made.unforgiven, ...repair.unforgiven];
    return { ...repair, ...reportsOf(all), scope: widestScope(repair.scope, at.failure), unforgiven };
  }
}

function reportsOf({ commands, failures, branches }: Outcome): Pick<Outcome, 'commands' | 'failures' | 'branches'> {
  return { commands, failures, branches };
}

// A step that failed and was passed over is a failure to whoever asked for another try.
function succeeded({ compat }: Execution, { code, unforgiven }: Outcome): boolean {
  return code === 0 && (compat || unforgiven.length === 0);
}

async function executeSequence(run: Execution, opened: Extract<ResolvedNode, { kind: 'group' }>, at: At): Promise<Outcome> {
  const all = emptyOutcome();
  let [stdin, last]: [Buffer | undefined, Outcome] = [at.stdin, all];
  for (const step of opened.steps) {
    if (!run.compat && at.signal.aborted) return stopped(all, last);
    const made = await executeNode(run, step, { ...at, stdin, isRoot: false });
    addReports(all, made);
    all.unforgiven.push(...made.unforgiven);
    last = made;
    if (made.code !== 0) {
      const isOnly = at.isRoot && opened.steps.length === 1;
      const scope = widestScope(
        made.scope,
        parseFailureScope(toNode(step.node).failure),
        opened.failure,
        isOnly ? 'root' : undefined,
      );
      if (scope !== 'root') noteFailure(all.failures, made);
      if (scope !== 'continue') return { ...made, ...reportsOf(all), unforgiven: all.unforgiven, scope };
      last = forgotten(made);
    }
    stdin = last.stdout;
  }
  const { code, killed, stdout, stderr } = last;
  return { ...all, code, killed, stdout, stderr };
}

/** Nothing more is started once somebody said stop, and what was not started has not succeeded. */
function stopped(all: Outcome, { stderr }: Outcome): Outcome {
  const unforgiven = [...all.unforgiven, { argv: [], reason: 'the run was stopped before its next step' }];
  return { ...all, code: 1, killed: true, stderr, unforgiven };
}
