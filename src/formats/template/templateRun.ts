// What a run of a command template comes to: the text and details of the reference, and our own verdict beside it.

import type { Call } from './call.js';
import type { Branch, Failure, Outcome } from './outcome.js';
import { printCommand } from './printCommand.js';
import { isTemplateError } from './templateError.js';

export type TemplateRun = {
  ok: boolean;
  /** What it wrote, when it succeeded. */
  text?: string;
  /** Why it did not. */
  error?: string;
  /** The code of our own message, when nothing could be run. */
  errorCode?: string;
  details?: Details;
  /** Every command that was started, in order. */
  calls: Call[];
  /** Commands that failed without their author's leave; in the manner of the reference nobody asks. */
  failed: Call[];
  /** What the reference would have said, had its rules for signals, time limits and counted branches been ours. */
  reference?: { ok: boolean };
  /** What was still running at the end, and was ended. */
  left?: readonly string[];
};

export type Details = {
  code: number;
  command: string;
  killed: boolean;
  branches?: Branch[];
  nonCriticalFailures?: Failure[];
  softQuorum?: Quorum;
  templateWarnings?: string[];
  truncated: boolean;
};

export type Quorum = { coverage: number; degraded: boolean; done: number; expected: number; failed: number; usable: boolean };

type Told = { calls: readonly Call[]; compat: boolean; warnings: readonly string[]; isAborted: boolean };

export function toRun(outcome: Outcome & { left: readonly string[] }, told: Told): TemplateRun {
  const { code, unexpected, left } = outcome;
  const { compat, isAborted } = told;
  const calls = snapshot(told.calls);
  const ok = code === 0 && (compat || (unexpected.length === 0 && !isAborted && left.length === 0));
  const common = {
    ok,
    calls,
    failed: compat ? [] : unexpected,
    reference: { ok: code === 0 },
    ...(left.length > 0 ? { left } : {}),
  };
  if (ok) return { ...common, ...text(outcome), details: detailsOf(outcome, told) };
  const error = code === 0 ? honestError(outcome, isAborted) : failureText(outcome);
  return compat ? { ...common, error } : { ...common, error, details: detailsOf(outcome, told) };
}

export function toError(thrown: unknown, calls: readonly Call[]): TemplateRun {
  if (!(thrown instanceof Error)) throw thrown;
  // Anything else is a fault of ours, and no result.
  if (!isTemplateError(thrown) && !(thrown instanceof TypeError && thrown.message === 'value.trim is not a function'))
    throw thrown;
  const code = isTemplateError(thrown) ? { errorCode: thrown.code } : {};
  return { ok: false, error: thrown.message, ...code, calls: snapshot(calls), failed: [] };
}

// Commands that nobody waits for go on, and would go on changing what was returned.
function snapshot(calls: readonly Call[]): Call[] {
  return calls.map((call) => ({ ...call }));
}

const longestText = { lines: 2000, bytes: 50 * 1024 };

function text({ stdout }: Outcome): { text: string } {
  const body = stdout
    .toString()
    .trimEnd()
    .replace(/^[\r\n]+/, '');
  return { text: `\n${body === '' ? '(no output)' : tail(body)}` };
}

// The end says more than the beginning; all of it is in the calls.
function tail(body: string): string {
  const lines = body.split('\n').slice(-longestText.lines).join('\n');
  const bytes = Buffer.from(lines);
  return bytes.length <= longestText.bytes
    ? lines
    : bytes
        .subarray(-longestText.bytes)
        .toString()
        .replace(/^\uFFFD+/, '');
}

function failureText({ code, killed, stdout, stderr }: Outcome): string {
  const parts = [`\nExit code ${code}${killed ? ' (killed)' : ''}`];
  const streams = { stderr: stderr.toString(), stdout: stdout.toString() };
  for (const [name, written] of Object.entries(streams)) if (written.trim() !== '') parts.push(`${name}:\n${written.trimEnd()}`);
  return parts.join('\n\n');
}

function honestError({ unexpected, left }: Outcome & { left: readonly string[] }, isAborted: boolean): string {
  const lines = unexpected.map(({ argv, code, reason }) => {
    const named = argv.length > 0 ? printCommand(argv) : 'a step';
    return `${named}: ${reason ?? `exit code ${code}`}`;
  });
  if (isAborted) lines.push('The run was stopped.');
  if (left.length > 0) lines.push(`Left running, and ended: ${left.join(', ')}.`);
  const count = unexpected.length;
  const hint = count > 0 ? '\nMark a step "failure": "continue" if it may fail.' : '';
  return `\n${count} of its commands failed:\n${lines.join('\n')}${hint}`;
}

function detailsOf({ code, killed, commands, branches, failures, stdout }: Outcome, { warnings }: Told): Details {
  const written = stdout.toString();
  const truncated = Buffer.byteLength(written) > longestText.bytes || written.split('\n').length > longestText.lines;
  return {
    ...{ code, command: commands.join(' && '), killed, truncated },
    ...(branches.length > 0 ? { branches, softQuorum: quorumOf(branches) } : {}),
    ...(failures.length > 0 ? { nonCriticalFailures: failures } : {}),
    ...(warnings.length > 0 ? { templateWarnings: [...warnings] } : {}),
  };
}

function quorumOf(branches: readonly Branch[]): Quorum {
  const done = branches.filter(({ status }) => status === 'done').length;
  const failed = branches.length - done;
  return { coverage: done / branches.length, degraded: failed > 0, done, expected: branches.length, failed, usable: done > 0 };
}
