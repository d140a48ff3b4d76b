// Starts a command as a process of its own, in its own environment.
import { systemClock } from '../../../system/clock.js';
import { buildChildEnv, type ProcessResult, type Redactor, runProcess } from '../../../system/processes/runProcess.js';
import type { Exec, ExecRequest, ExecResult } from '../call.js';

export type SpawnOptions = {
  cwd: string;
  compat: boolean;
  runId: string;
  env?: Readonly<Record<string, string>> | undefined;
  passEnv?: readonly string[] | undefined;
};

export function spawnCommand(options: SpawnOptions): Exec {
  let started = 0;
  return async (request) => {
    const tries = request.retry ?? 1;
    for (let tried = 1; ; tried++) {
      const ended = await once(request, options, ++started);
      if (ended.code === 0 || tried >= tries || (!options.compat && request.signal.aborted)) return ended;
    }
  };
}

async function once({ argv, stdin, timeoutMs, signal }: ExecRequest, options: SpawnOptions, index: number): Promise<ExecResult> {
  const { cwd, compat, runId, env: declared, passEnv = [] } = options;
  const over = new AbortController();
  const withdraw = timeoutMs ? systemClock.after(timeoutMs, () => over.abort(new Error('its time was over'))) : undefined;
  const stop = timeoutMs ? AbortSignal.any([signal, over.signal]) : signal;
  try {
    const result = await runProcess({
      ...{ command: argv, cwd, stdin, signal: stop, tag: `${runId}/${index}` },
      env: compat ? { ...ownEnv(), ...declared } : buildChildEnv({ passEnv, declared }),
      ...(compat ? { redact: chunkByChunk } : {}),
    });
    return compat ? asReference(result, argv[0], stop.aborted) : honest(result, argv[0], stop);
  } finally {
    withdraw?.();
  }
}

function ownEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

// The reference reads each chunk as text by itself, and so breaks characters that lie across two of them.
function chunkByChunk(): Redactor {
  return { write: (chunk) => Buffer.from(chunk.toString('utf8')), end: () => Buffer.alloc(0) };
}

function asReference(
  { exitCode, spawnError, spawnCode, stdout, stderr }: ProcessResult,
  program: string,
  killed: boolean,
): ExecResult {
  if (spawnError === undefined) {
    return { code: exitCode ?? (killed ? 1 : 0), killed, stdout: stdout.bytes, stderr: stderr.bytes };
  }
  if (killed) return { code: 1, killed, stdout: stdout.bytes, stderr: stderr.bytes };
  return { code: 1, killed: false, stdout: stdout.bytes, stderr: Buffer.from(`spawn ${program} ${spawnCode ?? spawnError}`) };
}

function honest(result: ProcessResult, program: string, stop: AbortSignal): ExecResult {
  const { stdout, stderr } = result;
  const reason = whyNot(result, stop);
  const failed = reason !== undefined && (result.exitCode ?? 0) === 0;
  const code = failed ? (result.spawnError === undefined ? 1 : 127) : (result.exitCode ?? 0);
  const said =
    result.spawnError === undefined ? stderr.bytes : Buffer.from(`${program} could not be started: ${result.spawnError}`);
  return { code, killed: stop.aborted, stdout: stdout.bytes, stderr: said, ...(reason === undefined ? {} : { reason }) };
}

/** Why it has not succeeded, whatever its exit code says. */
function whyNot({ exitCode, signal, spawnError, survivors, stdout }: ProcessResult, stop: AbortSignal): string | undefined {
  if (spawnError !== undefined) return `it could not be started: ${spawnError}`;
  if (stop.aborted) return `it was stopped: ${stop.reason instanceof Error ? stop.reason.message : String(stop.reason)}`;
  if (survivors.length > 0) return `it left what could not be killed: ${survivors.join(', ')}`;
  if (signal !== null) return `it was ended by ${signal}`;
  if (exitCode === null) return 'it did not end';
  // A pipe carries every byte or none: the middle of this one is gone.
  return stdout.wasTruncated ? `it wrote ${stdout.size} bytes, more than are kept to be piped on` : undefined;
}
