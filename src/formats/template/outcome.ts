// The outcome of a node: its exit code and streams, and the reports about all commands below the node.
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
  /** Every started command, in the order of the tree. */
  commands: string[];
  /** Failures that did not end the run. */
  failures: Failure[];
  branches: Branch[];
  /** How far the failure of the node reaches. */
  scope?: FailureScope;
  /** Failed calls without "failure": "continue". */
  unexpected: Call[];
  /** The run was stopped before the node was complete. */
  wasStopped?: true;
};

const noBytes = Buffer.alloc(0);

export function emptyOutcome(stdout: Buffer = noBytes): Outcome {
  return { code: 0, killed: false, stdout, stderr: noBytes, commands: [], failures: [], branches: [], unexpected: [] };
}

/** Returns the outcome of a node that did not start, because the run was stopped. */
export function stoppedOutcome(reason: string): Outcome {
  return { ...emptyOutcome(), code: 1, killed: true, unexpected: [{ argv: [], reason }], wasStopped: true };
}

export const stoppedBeforeStepMessage = 'the run was stopped before its next step';

/** Returns the outcome of a group that exceeded its time limit. It fails even if its last command exited with 0. */
export function timedOutOutcome(outcome: Outcome, timeoutMs: number): Outcome {
  const unexpected = [...outcome.unexpected, { argv: [], reason: `the group took longer than ${timeoutMs} ms` }];
  return { ...outcome, code: outcome.code === 0 ? 1 : outcome.code, killed: true, unexpected };
}

/** Returns how far the failure of a node reaches in its parent group. */
export function getReach({ parent, failure }: BoundNode, { scope }: Outcome): FailureScope {
  const work = parent?.work;
  if (work?.kind === 'sequence') return widestScope(scope, failure, work.failure, work.isWholeRun ? 'root' : undefined);
  // A group with a quorum does not end the run for one failure.
  if (work?.kind === 'branches') return widestScope(scope, failure, work.quorum === undefined ? work.failure : undefined);
  return widestScope(scope, failure);
}

/** Combines the outcomes of the children, in their order. The outcome of a child that did not start is undefined. */
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
    last = ignoreFailure(outcome);
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
  const results = children.map((_, index) => outcomes[index] ?? stoppedOutcome('the run was stopped before this branch began'));
  const all = emptyOutcome();
  for (const outcome of results) {
    addReports(all, outcome);
    all.unexpected.push(...outcome.unexpected);
  }
  const branches = results.map((outcome, index) => toBranch(outcome, work.labels[index] ?? `branch ${index + 1}`));
  all.branches.push(...branches);
  const rootFailure = results.find(
    (outcome, index) => outcome.code !== 0 && getReach(children[index] as BoundNode, outcome) === 'root',
  );
  if (rootFailure) return { ...rootFailure, ...pickReports(all), scope: 'root' };
  const tolerated = results.map((outcome) => {
    addFailure(all.failures, outcome);
    return outcome.code === 0 ? outcome : ignoreFailure(outcome);
  });
  const stderr = Buffer.concat(tolerated.filter(({ stderr }) => stderr.length > 0).flatMap(separateByNewline));
  const joined = { ...all, killed: tolerated.some(({ killed }) => killed), stdout: joinBranches(branches, tolerated), stderr };
  return judgeBranches(work, results, joined);
}

function separateByNewline({ stderr }: Outcome, index: number): Buffer[] {
  return index === 0 ? [stderr] : [Buffer.from('\n'), stderr];
}

function judgeBranches({ failure, quorum }: BranchesWork, results: readonly Outcome[], joined: Outcome): Outcome {
  const failed = results.find(({ code }) => code !== 0);
  // A skipped branch has no commands and does not count as a success.
  const successCount = results.filter(
    ({ code, unexpected, commands }) => code === 0 && unexpected.length === 0 && commands.length > 0,
  ).length;
  if (quorum !== undefined && successCount >= quorum) return { ...joined, unexpected: [] };
  if (quorum !== undefined) return { ...joined, code: failed?.code ?? 1, scope: failure };
  return failed && failure === 'branch' ? { ...joined, code: failed.code, scope: 'branch' } : joined;
}

/** Adds the branches, commands and failures of an outcome to another one. Its code and streams are not copied. */
export function addReports(target: Outcome, from: Outcome): void {
  target.branches.push(...from.branches);
  target.commands.push(...from.commands);
  target.failures.push(...from.failures);
}

function pickReports({ commands, failures, branches, unexpected }: Outcome) {
  return { commands, failures, branches, unexpected };
}

/** Adds a failure, unless the last entry is the same: the parents of a failed node report its failure again. */
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

/** Returns the outcome as a success with an empty output, so that the run continues. */
function ignoreFailure(outcome: Outcome): Outcome {
  return { ...outcome, code: 0, stdout: noBytes };
}

function toBranch(outcome: Outcome, label: string): Branch {
  const { code, killed, stdout, stderr } = outcome;
  const status = code === 0 ? 'done' : killed ? 'timeout' : 'failed';
  const excerpt = stderr.length > 0 ? { stderr: stderr.toString().slice(0, 1000) } : {};
  return { code, command: findLastCommand(outcome), killed, label, status, ...excerpt, stdoutBytes: stdout.length };
}

/** Builds the input of the next step from the outputs of parallel branches. */
function joinBranches(branches: readonly Branch[], outcomes: readonly Outcome[]): Buffer {
  const parts = branches.flatMap(({ label, status, code, stderr }, index) => {
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${status} ---\n`;
    if (status === 'done') return [Buffer.from(header), outcomes[index]?.stdout ?? noBytes];
    return [Buffer.from(`${header}exit: ${code}${stderr ? `\nstderr: ${stderr}` : ''}`)];
  });
  return Buffer.concat(parts);
}
