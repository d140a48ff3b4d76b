// What came of a node: its code and streams, and what a report says about everything below it.
import type { FailureScope } from '../controls.js';
import type { Call } from './execution.js';

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
  /** Calls that failed and that no author allowed to. */
  unforgiven: Call[];
};

const nothing = Buffer.alloc(0);

export function emptyOutcome(stdout: Buffer = nothing): Outcome {
  return { code: 0, killed: false, stdout, stderr: nothing, commands: [], failures: [], branches: [], unforgiven: [] };
}

/** Takes over what happened below, not how it ended. */
export function addReports(target: Outcome, from: Outcome): void {
  target.branches.push(...from.branches);
  target.commands.push(...from.commands);
  target.failures.push(...from.failures);
}

export function lastCommand({ commands }: Outcome): string {
  return commands.at(-1) ?? '<template>';
}

/** Once, though several nodes around it may come to know of it. */
export function noteFailure(failures: Failure[], outcome: Outcome): void {
  const { code, killed } = outcome;
  if (code === 0) return;
  const command = lastCommand(outcome);
  const last = failures.at(-1);
  if (last?.code !== code || last.command !== command || last.killed !== killed) failures.push({ code, command, killed });
}

/** What goes on as if it had succeeded: nothing of what it wrote is handed on. */
export function forgotten(outcome: Outcome): Outcome {
  return { ...outcome, code: 0, stdout: nothing };
}

export function branchOf(outcome: Outcome, label: string): Branch {
  const { code, killed, stdout, stderr } = outcome;
  const status = code === 0 ? 'done' : killed ? 'timeout' : 'failed';
  const said = stderr.length > 0 ? { stderr: stderr.toString().slice(0, 1000) } : {};
  return { code, command: lastCommand(outcome), killed, label, status, ...said, stdoutBytes: stdout.length };
}

/** What the next step reads of branches that ran side by side. */
export function joinBranches(branches: readonly Branch[], outcomes: readonly Outcome[]): Buffer {
  const parts = branches.flatMap(({ label, status, code, stderr }, index) => {
    const header = `${index === 0 ? '' : '\n'}--- branch: ${label} status: ${status} ---\n`;
    if (status === 'done') return [Buffer.from(header), outcomes[index]?.stdout ?? nothing];
    return [Buffer.from(`${header}exit: ${code}${stderr ? `\nstderr: ${stderr}` : ''}`)];
  });
  return Buffer.concat(parts);
}
