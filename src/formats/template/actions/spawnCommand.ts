// Runs a command of a template as a child process, with retries and a time limit.
import { systemClock } from '../../../system/clock.js';
import { buildChildEnv, type ProcessResult, runProcess, type StreamMasker } from '../../../system/processes/runProcess.js';
import type { Exec, ExecRequest, ExecResult } from '../call.js';

export type SpawnOptions = {
  cwd: string;
  compat: boolean;
  runId: string;
  env?: Readonly<Record<string, string>> | undefined;
  passEnv?: readonly string[] | undefined;
};

export function spawnCommand(options: SpawnOptions): Exec {
  let startedCount = 0;
  return async (request) => {
    const maxAttempts = request.retry ?? 1;
    for (let attempt = 1; ; attempt++) {
      const result = await spawnOnce(request, options, ++startedCount);
      const isStopped = request.signal.aborted && !options.compat;
      if (result.code === 0 || attempt >= maxAttempts || isStopped) return result;
    }
  };
}

async function spawnOnce({ argv, stdin, timeoutMs, signal }: ExecRequest, options: SpawnOptions, index: number) {
  const { cwd, compat, runId, env: declared, passEnv = [] } = options;
  const timeout = new AbortController();
  const timeoutError = new Error(`time limit of ${timeoutMs} ms exceeded`);
  const cancelTimer = timeoutMs ? systemClock.after(timeoutMs, () => timeout.abort(timeoutError)) : undefined;
  const stop = timeoutMs ? AbortSignal.any([signal, timeout.signal]) : signal;
  try {
    const result = await runProcess({
      command: argv,
      cwd,
      stdin,
      signal: stop,
      tag: `${runId}/${index}`,
      env: compat ? { ...copyOwnEnv(), ...declared } : buildChildEnv({ passEnv, declared }),
      ...(compat ? { openMasker: decodeEachChunk } : {}),
    });
    return compat ? toReferenceResult(result, argv[0], stop.aborted) : toExecResult(result, argv[0], stop);
  } finally {
    cancelTimer?.();
  }
}

function copyOwnEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

// The reference decodes each chunk by itself, and so breaks characters that span two chunks.
function decodeEachChunk(): StreamMasker {
  return { write: (chunk) => Buffer.from(chunk.toString('utf8')), end: () => Buffer.alloc(0) };
}

function toReferenceResult(result: ProcessResult, program: string, killed: boolean): ExecResult {
  const { exitCode, spawnError, spawnCode, stdout, stderr } = result;
  if (spawnError === undefined) return { code: exitCode ?? (killed ? 1 : 0), killed, stdout: stdout.bytes, stderr: stderr.bytes };
  if (killed) return { code: 1, killed, stdout: stdout.bytes, stderr: stderr.bytes };
  const message = Buffer.from(`spawn ${program} ${spawnCode ?? spawnError}`);
  return { code: 1, killed: false, stdout: stdout.bytes, stderr: message };
}

function toExecResult(result: ProcessResult, program: string, stop: AbortSignal): ExecResult {
  const { exitCode, spawnError, stdout, stderr } = result;
  const reason = describeFailure(result, stop);
  const hidesFailure = reason !== undefined && (exitCode ?? 0) === 0;
  const failureCode = spawnError === undefined ? 1 : 127;
  return {
    code: hidesFailure ? failureCode : (exitCode ?? 0),
    killed: stop.aborted,
    stdout: stdout.bytes,
    stderr: spawnError === undefined ? stderr.bytes : Buffer.from(`${program} could not start: ${spawnError}`),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Returns why the command failed. Its exit code can still be 0. */
function describeFailure(
  { exitCode, signal, spawnError, survivors, stdout }: ProcessResult,
  stop: AbortSignal,
): string | undefined {
  if (spawnError !== undefined) return `could not start: ${spawnError}`;
  if (stop.aborted) return `stopped: ${stop.reason instanceof Error ? stop.reason.message : String(stop.reason)}`;
  if (survivors.length > 0) return `left processes that could not be killed: ${survivors.join(', ')}`;
  if (signal !== null) return `ended by ${signal}`;
  if (exitCode === null) return 'did not end';
  // The recorded output has lost its middle, and the next step must not read a part as the whole.
  return stdout.wasTruncated
    ? `wrote ${stdout.size} bytes to stdout, more than a pipe to the next step can hold. Write large data to a file.`
    : undefined;
}
