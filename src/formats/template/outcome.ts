// What came of a node: its code and streams, and what the report of the run says about everything below it.
import type { BoundNode } from './boundRecipe.js';
import type { Call } from './call.js';
import { type FailureScope, widestScope } from './controls.js';

export type Failure = { code: number; command: string; killed: boolean };

export type Branch = {
  code: number;
  command: string;
  killed: boolean;
  label: string;
  status: 'done' | 'failed' | 'timeout';
  stderr?: string;
  stdoutBytes: number;
};

export type Outcome = {
  code: number;
  killed: boolean;
  stdout: Buffer;
  stderr: Buffer;
  /** Every command that was started, in the order of the tree. */
  commands: string[];
  /** Failures that did not end the run by themselves. */
  failures: Failure[];
  branches: Branch[];
  /** How far its failure reaches. */
  scope?: FailureScope;
  /** Failed calls that no author allowed to fail. */
  unexpected: Call[];
  /** The run was stopped before all of the node had run. */
  wasStopped?: true;
};

const noBytes = Buffer.alloc(0);

export function emptyOutcome(stdout: Buffer = noBytes): Outcome {
  return { code: 0, killed: false, stdout, stderr: noBytes, commands: [], failures: [], branches: [], unexpected: [] };
}

/** A node that never began because the run was stopped. */
export function stoppedOutcome(reason: string): Outcome {
  return { ...emptyOutcome(), code: 1, killed: true, unexpected: [{ argv: [], reason }], wasStopped: true };
}

export const stoppedBeforeStepMessage = 'the run was stopped before its next step';

/** A group that took longer than its time limit. Its last command may have succeeded although it was stopped. */
export function timedOutOutcome(outcome: Outcome, timeoutMs: number): Outcome {
  const unexpected = [...outcome.unexpected, { argv: [], reason: `the group took longer than ${timeoutMs} ms` }];
  return { ...outcome, code: outcome.code === 0 ? 1 : outcome.code, killed: true, unexpected };
}

/** How far the failure of a node goes in the group around it. */
export function getReach({ parent, failure }: BoundNode, { scope }: Outcome): FailureScope {
  const work = parent?.work;
  if (work?.kind === 'sequence') return widestScope(scope, failure, work.failure, work.isWholeRun ? 'root' : undefined);
  // A group that counts its successes does not end the run for one failure.
  if (work?.kind === 'branches') return widestScope(scope, failure, work.quorum === undefined ? work.failure : undefined);
  return widestScope(scope, failure);
}

/** `outcomes`: of its children, in their order; undefined for a child that never began. */
export function combineOutcomes(node: BoundNode, outcomes: readonly (Outcome | undefined)[]): Outcome {
  if (node.work.kind === 'sequence') return combineSteps(node, outcomes);
  if (node.work.kind === 'branches') return combineBranches(node, node.work, outcomes);
  return outcomes.at(-1) ?? stoppedOutcome(stoppedBeforeStepMessage);
}

function combineSteps({ children }: BoundNode, outcomes: readonly (Outcome | undefined)[]): Outcome {
  const all = emptyOutcome();
  let last = all;
  for (const [index, child] of children.entries()) {
    const outcome = outcomes[index];
    if (!outcome) return stopBeforeNextStep(all, last);
    addReports(all, outcome);
    all.unexpected.push(...outcome.unexpected);
    last = outcome;
    if (outcome.code === 0) continue;
    const scope = getReach(child, outcome);
    if (scope !== 'root') addFailure(all.failures, outcome);
    if (scope !== 'continue' || outcome.wasStopped) return { ...outcome, ...pickReports(all), scope };
    last = passOver(outcome);
  }
  const { code, killed, stdout, stderr } = last;
  return { ...all, code, killed, stdout, stderr };
}

function stopBeforeNextStep(all: Outcome, { stderr }: Outcome): Outcome {
  const { unexpected, ...stopped } = stoppedOutcome(stoppedBeforeStepMessage);
  return { ...stopped, ...pickReports(all), stderr, unexpected: [...all.unexpected, ...unexpected] };
}

type BranchesWork = Extract<BoundNode['work'], { kind: 'branches' }>;

function combineBranches({ children }: BoundNode, work: BranchesWork, outcomes: readonly (Outcome | undefined)[]): Outcome {
  const made = children.map((_, index) => outcomes[index] ?? stoppedOutcome('the run was stopped before this branch began'));
  const all = emptyOutcome();
  for (const outcome of made) {
    addReports(all, outcome);
    all.unexpected.push(...outcome.unexpected);
  }
  const branches = made.map((outcome, index) => toBranch(outcome, work.labels[index] ?? `branch ${index + 1}`));
  all.branches.push(...branches);
  const final = made.find((outcome, index) => outcome.code !== 0 && getReach(children[index] as BoundNode, outcome) === 'root');
  if (final) return { ...final, ...pickReports(all), scope: 'root' };
  const passed = made.map((outcome) => {
    addFailure(all.failures, outcome);
    return outcome.code === 0 ? outcome : passOver(outcome);
  });
  const stderr = Buffer.concat(passed.filter(({ stderr }) => stderr.length > 0).flatMap(separateByNewline));
  const joined = { ...all, killed: passed.some(({ killed }) => killed), stdout: joinBranches(branches, passed), stderr };
  return judgeBranches(work, made, joined);
}

function separateByNewline({ stderr }: Outcome, index: number): Buffer[] {
  return index === 0 ? [stderr] : [Buffer.from('\n'), stderr];
}

function judgeBranches({ failure, quorum }: BranchesWork, made: readonly Outcome[], joined: Outcome): Outcome {
  const failed = made.find(({ code }) => code !== 0);
  // A branch that was skipped is no success.
  const done = made.filter(
    ({ code, unexpected, commands }) => code === 0 && unexpected.length === 0 && commands.length > 0,
  ).length;
  if (quorum !== undefined && done >= quorum) return { ...joined, unexpected: [] };
  if (quorum !== undefined) return { ...joined, code: failed?.code ?? 1, scope: failure };
  return failed && failure === 'branch' ? { ...joined, code: failed.code, scope: 'branch' } : joined;
}

/** Takes over what happened below a node, not how it ended. */
export function addReports(target: Outcome, from: Outcome): void {
  target.branches.push(...from.branches);
  target.commands.push(...from.commands);
  target.failures.push(...from.failures);
}

function pickReports({ commands, failures, branches, unexpected }: Outcome) {
  return { commands, failures, branches, unexpected };
}

/** Lists a failure once, though several nodes around it may report it. */
export function addFailure(failures: Failure[], outcome: Outcome): void {
  const { code, killed } = outcome;
  if (code === 0) return;
  const command = findLastCommand(outcome);
  const last = failures.at(-1);
  if (last?.code !== code || last.command !== command || last.killed !== killed) failures.push({ code, command, killed });
}

function findLastCommand({ commands }: Outcome): string {
  return commands.at(-1) ?? '<template>';
}

/** The run goes on as if the node had succeeded; the next step reads nothing of it. */
function passOver(outcome: Outcome): Outcome {
  return { ...outcome, code: 0, stdout: noBytes };
}

function toBranch(outcome: Outcome, label: string): Branch {
  const { code, killed, stdout, stderr } = outcome;
  const status = code === 0 ? 'done' : killed ? 'timeout' : 'failed';
  const excerpt = stderr.length > 0 ? { stderr: stderr.toString().slice(0, 1000) } : {};
  return { code, command: findLastCommand(outcome), killed, label, status, ...excerpt, stdoutBytes: stdout.length };
}

/** What the next step reads of branches that ran side by side. */
function joinBranches(branches: readonly Branch[], outcomes: readonly Outcome[]): Buffer {
  const parts = branches.flatMap(({ label, status, code, stderr }, index) => {
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${status} ---\n`;
    if (status === 'done') return [Buffer.from(header), outcomes[index]?.stdout ?? noBytes];
    return [Buffer.from(`${header}exit: ${code}${stderr ? `\nstderr: ${stderr}` : ''}`)];
  });
  return Buffer.concat(parts);
}
