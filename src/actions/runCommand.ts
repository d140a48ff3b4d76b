// Runs a process for an action and creates the action's result from its output and exit code.
import { resolve } from 'node:path';
import type { Capture } from '../evidence/journal.js';
import { RecipeError } from '../evidence/recipeError.js';
import { isRealPathInside, readPathKind, resolveInside } from '../system/files/files.js';
import {
  buildChildEnv,
  type CapturedOutput,
  drainMs,
  gracePeriodsMs,
  type OutputListener,
  outputLimitBytes,
  type ProcessRequest,
  type ProcessResult,
  runProcess,
  truncateOutput,
} from '../system/processes/runProcess.js';
import type { ActionContext, ActionResult } from './action.js';
import { createLogCapture, fileNameOf, maxRecordedBytes } from './capturedText.js';

export type Command = Pick<ProcessRequest, 'command'> & {
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  stdin?: string | undefined;
  allow_failure?: boolean | undefined;
};

/** The grace period after a timeout, one second for the kill, the time to drain the pipes, and one second for a busy machine. */
export const commandStopMs = gracePeriodsMs.timedOut + 1_000 + drainMs + 1_000;

export async function runCommand(fields: Command, context: ActionContext): Promise<ActionResult> {
  const result = await runProcess({
    command: fields.command,
    cwd: resolveCwd(fields, context),
    env: buildChildEnv({ passEnv: context.passEnv, declared: fields.env }),
    stdin: fields.stdin === undefined ? readPipedInput(context) : Buffer.from(fields.stdin),
    signal: context.signal,
    tag: `${context.runId}/${context.path}`,
    openMasker: context.openMasker,
    output: context.output && limitOutput(outputLimitBytes, context.output),
  });
  const { stdout, stderr } = result;
  const failure = failureOf(result, fields);
  return {
    output: outputOfProcess(result),
    recorded: outputOfProcess({
      ...result,
      stdout: truncateOutput(stdout, maxRecordedBytes),
      stderr: truncateOutput(stderr, maxRecordedBytes),
    }),
    ...{ streams: { stdout, stderr }, artifacts: captureLogs(result, context.path), ...(failure ? { failure } : {}) },
  };
}

/** Limits the live output per stream, so that an endless output does not fill the disk. */
export function limitOutput(limit: number, output: OutputListener): OutputListener {
  const remaining = { stdout: limit, stderr: limit };
  return (stream, chunk) => {
    if (remaining[stream] < 0) return;
    output(stream, chunk.subarray(0, remaining[stream]));
    remaining[stream] -= chunk.length;
    if (remaining[stream] < 0) output(stream, Buffer.from(`\n… only the first ${limit} bytes are shown …\n`));
  };
}

// Refuses a truncated input: the command would work on incomplete data.
function readPipedInput({ stdin }: ActionContext): Buffer | undefined {
  if (!stdin?.wasTruncated) return stdin?.bytes;
  const message = `The previous command wrote ${stdin.size} bytes, but at most ${outputLimitBytes} can be piped, so this command did not run. Pass large data in a file.`;
  throw new RecipeError('command.cut_input', 'action', message);
}

export function outputOfProcess({ exitCode, signal, stdout, stderr }: ProcessResult): object {
  const streams = { stdout: stdout.bytes.toString(), stderr: stderr.bytes.toString() };
  const wasTruncated = stdout.wasTruncated || stderr.wasTruncated;
  return { exitCode, ...(signal === null ? {} : { signal }), ...streams, ...(wasTruncated ? { wasTruncated } : {}) };
}

export function resolveCwd({ cwd }: Pick<Command, 'cwd'>, { projectRoot }: ActionContext): string {
  if (cwd === undefined) return projectRoot;
  const dir = resolveInside(projectRoot, cwd);
  const quoted = JSON.stringify(cwd);
  if (dir === undefined) throw outsideProjectError(quoted);
  const kind = readPathKind(dir);
  if (kind !== 'directory') {
    const problem = kind === undefined ? 'does not exist' : 'is not a directory';
    const message = `The directory ${quoted} in "cwd" ${problem} in the project ${projectRoot}. Create it in an earlier node, or correct "cwd".`;
    throw new RecipeError('command.no_directory', 'action', message);
  }
  if (dir !== resolve(projectRoot) && !isRealPathInside(projectRoot, dir)) throw outsideProjectError(quoted);
  return dir;
}

function outsideProjectError(quoted: string): RecipeError {
  const message = `The directory ${quoted} in "cwd" is outside the project. Use a path relative to the project root.`;
  return new RecipeError('command.outside_project', 'action', message);
}

// Both logs together stay within the limit of one stream, so that the package stays small.
function captureLogs({ stdout, stderr }: ProcessResult, path: string): Capture[] {
  const pairs = [
    ['stdout', stdout, stderr],
    ['stderr', stderr, stdout],
  ] as const;
  return pairs
    .filter(([, stream]) => stream.bytes.length > maxRecordedBytes)
    .map(([name, stream, other]) =>
      captureLog(name, truncateOutput(stream, Math.max(outputLimitBytes / 2, outputLimitBytes - other.bytes.length)), path),
    );
}

function captureLog(name: string, { bytes }: CapturedOutput, path: string): Capture {
  return createLogCapture(`${fileNameOf(path)}.${name}.log`, `${name} of ${path}`, bytes);
}

// A process that a signal ended always fails, even with `allow_failure`.
function failureOf(result: ProcessResult, fields: Command): RecipeError | undefined {
  const { exitCode, signal, spawnError, survivors, stderr } = result;
  const name = typeof fields.command === 'string' ? fields.command : fields.command.join(' ');
  if (spawnError !== undefined)
    return new RecipeError('command.not_started', 'environment', `The command could not be started: ${spawnError}`);
  if (survivors.length > 0 || (exitCode === null && signal === null)) {
    const stillRunning = survivors.length > 0 ? `\nStill running: ${survivors.join(', ')}.` : '';
    return new RecipeError('command.not_killed', 'action', `Command did not end when it was killed: ${name}${stillRunning}`);
  }
  if (signal !== null) return new RecipeError('command.signalled', 'action', `Command was ended by ${signal}: ${name}`);
  if (exitCode === 0 || fields.allow_failure === true) return undefined;
  const tail = stderr.bytes.subarray(-8_000).toString().trimEnd().slice(-2_000);
  return new RecipeError('command.failed', 'action', `Command exited with ${exitCode}: ${name}${tail ? `\n${tail}` : ''}`);
}
