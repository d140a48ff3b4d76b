// The result of a run of a command template: the text and details of the reference implementation, and the verdict of
// recipewright.
import type { Call } from './call.js';
import type { Branch, Failure, Outcome } from './outcome.js';
import { printCommand } from './printCommand.js';
import { isTemplateError } from './templateError.js';

export type TemplateRun = {
  ok: boolean;
  /** The output of a successful run. */
  text?: string;
  /** Why the run failed. */
  error?: string;
  /** The code of the error, when the template or its values are invalid. */
  errorCode?: string;
  details?: Details;
  /** Every started command, in order. */
  calls: Call[];
  /** Failed commands without "failure": "continue". Empty with `compat`. */
  failed: Call[];
  /** The verdict of the reference implementation, but with recipewright's rules for signals, time limits and quorums. */
  reference?: { ok: boolean };
  /** Processes that still ran at the end of the run. recipewright ended them. */
  left?: readonly string[];
};

type Details = {
  code: number;
  command: string;
  killed: boolean;
  branches?: Branch[];
  nonCriticalFailures?: Failure[];
  softQuorum?: Quorum;
  templateWarnings?: string[];
  truncated: boolean;
};

type Quorum = { coverage: number; degraded: boolean; done: number; expected: number; failed: number; usable: boolean };

type RunOutcome = Outcome & { left: readonly string[] };
type RunFacts = { calls: readonly Call[]; compat: boolean; warnings: readonly string[]; isAborted: boolean };

export function toRun(outcome: RunOutcome, facts: RunFacts): TemplateRun {
  const { code, unexpected, left } = outcome;
  const { compat, isAborted } = facts;
  const ok = code === 0 && (compat || (unexpected.length === 0 && !isAborted && left.length === 0));
  const common = {
    ok,
    calls: copyCalls(facts.calls),
    failed: compat ? [] : unexpected,
    reference: { ok: code === 0 },
    ...(left.length > 0 ? { left } : {}),
  };
  const details = buildDetails(outcome, facts);
  if (ok) return { ...common, text: printOutput(outcome), details };
  const error = code === 0 ? describeUnexpected(outcome, isAborted) : describeFailure(outcome);
  return compat ? { ...common, error } : { ...common, error, details };
}

export function toError(thrown: unknown, calls: readonly Call[]): TemplateRun {
  // Any other error is a bug, or comes from an `exec` of the caller.
  if (!isTemplateError(thrown)) throw thrown;
  return { ok: false, error: thrown.message, errorCode: thrown.code, calls: copyCalls(calls), failed: [] };
}

// With `compat`, commands may still run after the result is returned, and would change its calls.
function copyCalls(calls: readonly Call[]): Call[] {
  return calls.map((call) => ({ ...call }));
}

const maxOutput = { lines: 2000, bytes: 50 * 1024 };

function printOutput({ stdout }: Outcome): string {
  const body = stdout
    .toString()
    .trimEnd()
    .replace(/^[\r\n]+/, '');
  return `\n${body === '' ? '(no output)' : cutToEnd(body)}`;
}

function cutToEnd(body: string): string {
  const lines = body.split('\n').slice(-maxOutput.lines).join('\n');
  const bytes = Buffer.from(lines);
  if (bytes.length <= maxOutput.bytes) return lines;
  return bytes
    .subarray(-maxOutput.bytes)
    .toString()
    .replace(/^\uFFFD+/, '');
}

function describeFailure({ code, killed, stdout, stderr }: Outcome): string {
  const parts = [`\nExit code ${code}${killed ? ' (killed)' : ''}`];
  const streams = { stderr: stderr.toString(), stdout: stdout.toString() };
  for (const [name, text] of Object.entries(streams)) if (text.trim() !== '') parts.push(`${name}:\n${text.trimEnd()}`);
  return parts.join('\n\n');
}

function describeUnexpected({ unexpected, left }: RunOutcome, isAborted: boolean): string {
  const lines = unexpected.map(({ argv, code, reason }) => {
    const command = argv.length > 0 ? printCommand(argv) : 'a step';
    return `${command}: ${reason ?? `exit code ${code}`}`;
  });
  if (isAborted) lines.push('The run was stopped.');
  if (left.length > 0) lines.push(`These processes still ran at the end and were ended: ${left.join(', ')}.`);
  const count = unexpected.length;
  const hint = count > 0 ? '\nAdd "failure": "continue" to a step that may fail.' : '';
  return `\n${count} of its commands failed:\n${lines.join('\n')}${hint}`;
}

function buildDetails({ code, killed, commands, branches, failures, stdout }: Outcome, { warnings }: RunFacts): Details {
  const text = stdout.toString();
  const truncated = Buffer.byteLength(text) > maxOutput.bytes || text.split('\n').length > maxOutput.lines;
  return {
    code,
    command: commands.join(' && '),
    killed,
    truncated,
    ...(branches.length > 0 ? { branches, softQuorum: countQuorum(branches) } : {}),
    ...(failures.length > 0 ? { nonCriticalFailures: failures } : {}),
    ...(warnings.length > 0 ? { templateWarnings: [...warnings] } : {}),
  };
}

function countQuorum(branches: readonly Branch[]): Quorum {
  const expected = branches.length;
  const done = branches.filter(({ status }) => status === 'done').length;
  const failed = expected - done;
  return { coverage: done / expected, degraded: failed > 0, done, expected, failed, usable: done > 0 };
}
