// Runs one process for an action, in its own group and with bounded output. An abort kills the process and every process that it started.
import type { Socket } from 'node:net';
import type { execa as Execa } from 'execa';
import { setImmediate, systemClock } from '../clock.js';
import { killTree, registerTree, unregisterTree } from './killTree.js';
import { tagEnv } from './processTable.js';

export type ProcessRequest = {
  /** Shell text, or a program and its arguments. */
  command: string | readonly [string, ...string[]];
  /** A directory that exists. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: Buffer | undefined;
  /** Aborted with an Error when the process reaches its timeout, and with a string when the run is interrupted. */
  signal: AbortSignal;
  /** The `<runId>/<path>` of the node that starts the process. `sweepRun` ends processes with this tag that are left running. */
  tag: string;
  /** Masks the bytes of each stream before any of them is kept. */
  openMasker?: (() => StreamMasker) | undefined;
  /** Called with the pid as soon as the process runs. */
  onStart?: ((pid: number) => void) | undefined;
  /** Gets the output, masked, as it is written. */
  output?: OutputListener | undefined;
};

export type OutputListener = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

export type StreamMasker = { write(chunk: Buffer): Buffer; end(): Buffer };

export type ProcessResult = {
  exitCode: number | null;
  signal: string | null;
  /** Why the process could not be started. */
  spawnError?: string;
  /** The code of that error, such as ENOENT. */
  spawnCode?: string | undefined;
  /** Processes that could not be killed. */
  survivors: readonly string[];
  stdout: CapturedOutput;
  stderr: CapturedOutput;
};

export const gracePeriodsMs = { timedOut: 5_000, interrupted: 1_000 } as const;
export const drainMs = 500;

export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  // Loaded on demand, because most commands start no process.
  const { execa } = await import('execa');
  if (request.signal.aborted) return createNotStarted('the run was stopped before it began');
  if (hasNullByte(request))
    return createNotStarted(
      'one of its arguments or variables contains a null byte, which only stdin can transfer.',
      'ERR_INVALID_ARG_VALUE',
    );
  const child = startChild(execa, request);
  if (child.pid === undefined) return explainStartFailure((await child).cause, request);
  registerTree({ pid: child.pid, tag: request.tag });
  request.onStart?.(child.pid);
  const stdout = captureStream(request, 'stdout');
  const stderr = captureStream(request, 'stderr');
  child.stdout.on('data', stdout.write);
  child.stderr.on('data', stderr.write);
  const termination = killOnAbort(child, request);
  const end = await Promise.race([waitForExit(child), termination.afterGivingUp]);
  termination.cancel();
  const survivors = await termination.survivors();
  unregisterTree(child.pid);
  detachStreams(child, request.signal.aborted);
  return { ...end, survivors, stdout: stdout.end(), stderr: stderr.end() };
}

// Checked here, because the messages of execa and Node would contain the value, which may be a secret.
function hasNullByte({ command, env }: ProcessRequest): boolean {
  const words = typeof command === 'string' ? [command] : command;
  return [...words, ...Object.entries(env).flat()].some((value) => value.includes('\0'));
}

type Child = ReturnType<typeof startChild>;

/** Starts the process with execa, which supports .cmd files and shebangs on Windows. Killing and capturing are our own code (decisions/010). */
function startChild(execa: typeof Execa, { command, cwd, env, stdin, tag }: ProcessRequest) {
  const [file, ...args] = typeof command === 'string' ? [command] : command;
  const child = execa(file, args, {
    cwd,
    env: { ...env, ...tagEnv(tag) },
    extendEnv: false,
    shell: typeof command === 'string',
    detached: process.platform !== 'win32',
    stdin: stdin === undefined ? 'ignore' : 'pipe',
    buffer: false,
    cleanup: false,
    reject: false,
    // NODE_DEBUG=execa would print arguments, which may be secrets.
    verbose: 'none',
  });
  // EPIPE: a process may leave its stdin unread.
  child.stdin?.on('error', () => undefined).end(stdin);
  return child;
}

export function createNotStarted(spawnError: string, spawnCode?: string): ProcessResult {
  return {
    exitCode: null,
    signal: null,
    spawnError,
    spawnCode,
    survivors: [],
    stdout: emptyOutput(),
    stderr: emptyOutput(),
  };
}

function explainStartFailure(thrown: unknown, request: ProcessRequest): ProcessResult {
  return createNotStarted(describeStartFailure(thrown, request), (thrown as NodeJS.ErrnoException).code);
}

function describeStartFailure(thrown: unknown, { command, cwd }: ProcessRequest): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const program = JSON.stringify(typeof command === 'string' ? 'sh' : command[0]);
  if (code === 'ENOENT') return `there is no program ${program} in PATH or below ${cwd}. Install it, or check its name.`;
  if (code === 'EACCES') return `${program} may not be executed. Check its permissions (chmod +x) and those of ${cwd}.`;
  if (code === 'E2BIG') return 'its arguments and environment are too long for the operating system. Pass large values by stdin.';
  return message;
}

function captureStream({ openMasker, output }: ProcessRequest, stream: 'stdout' | 'stderr'): ReturnType<typeof captureOutput> {
  const spool = output ? withListener(captureOutput(), (chunk) => output(stream, chunk)) : captureOutput();
  if (!openMasker) return spool;
  const masker = openMasker();
  return {
    write: (chunk) => spool.write(masker.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end() {
      spool.write(masker.end());
      return spool.end();
    },
  };
}

function withListener(
  captured: ReturnType<typeof captureOutput>,
  listen: (chunk: Uint8Array) => void,
): ReturnType<typeof captureOutput> {
  const write = (chunk: Uint8Array): void => {
    captured.write(chunk);
    listen(chunk);
  };
  return { ...captured, write };
}

type ProcessEnd = Pick<ProcessResult, 'exitCode' | 'signal'>;

// A grandchild may keep the pipes open long after the process has exited, so this waits only `drainMs` for the rest of the output.
function waitForExit(child: Child): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    let stopWaiting = (): void => undefined;
    child.once('exit', (exitCode, signal) => {
      stopWaiting = afterPendingReads(drainMs, () => resolve({ exitCode, signal }));
    });
    child.once('close', (exitCode, signal) => {
      stopWaiting();
      resolve({ exitCode, signal });
    });
  });
}

// setImmediate, because after our own code has blocked the event loop, the timer may fire before an exit and a full pipe are read.
function afterPendingReads(ms: number, then: () => void): () => void {
  return systemClock.after(ms, () => setImmediate(then));
}

type Termination = {
  /** Resolves when the tree was killed, but the process or its pipes did not end. */
  afterGivingUp: Promise<ProcessEnd>;
  survivors(): Promise<readonly string[]>;
  cancel(): void;
};

function killOnAbort(child: Child, { signal, tag }: ProcessRequest): Termination {
  const { pid } = child;
  let killing: Promise<readonly string[]> | undefined;
  let isOver = false;
  let kill = (): void => undefined;
  let cancelTimer = (): void => undefined;
  const afterGivingUp = new Promise<ProcessEnd>((resolve) => {
    const giveUp = (): void => {
      if (isOver) return;
      cancelTimer = afterPendingReads(drainMs, () => resolve({ exitCode: child.exitCode, signal: child.signalCode }));
    };
    kill = () => {
      if (pid === undefined) return;
      killing = killTree({ pid, tag }, signal.reason instanceof Error ? gracePeriodsMs.timedOut : gracePeriodsMs.interrupted);
      killing.then(giveUp, giveUp);
    };
    signal.addEventListener('abort', kill, { once: true });
  });
  const cancel = (): void => {
    isOver = true;
    signal.removeEventListener('abort', kill);
    cancelTimer();
  };
  return { afterGivingUp, survivors: async () => (await killing) ?? [], cancel };
}

// A closed pipe would end a process that is left running and still writes. So its output is still read, without keeping this process alive.
function detachStreams(child: Child, wasKilled: boolean): void {
  child.stdin?.destroy();
  if (child.exitCode === null && child.signalCode === null) child.unref();
  for (const stream of [child.stdout, child.stderr] as unknown as Socket[]) {
    if (stream.destroyed) continue;
    stream.removeAllListeners('data');
    if (wasKilled) stream.destroy();
    else stream.resume().unref();
  }
}

/** Output above the limit is cut to its head and its tail, with a line between them that says how much is missing. */
export type CapturedOutput = { bytes: Buffer; size: number; wasTruncated: boolean };

export const outputLimitBytes = 10_000_000;

/** The maximum size of the line that says how many bytes were left out. */
const maxNoteBytes = 64;

export function emptyOutput(): CapturedOutput {
  return { bytes: Buffer.alloc(0), size: 0, wasTruncated: false };
}

/** Captures output in one buffer that grows up to the limit. After that, the second half of the buffer is a ring of the last bytes. */
export function captureOutput(limit = outputLimitBytes): { write(chunk: Uint8Array): void; end(): CapturedOutput } {
  const half = Math.floor(limit / 2);
  const ringIndex = (offset: number): number => (offset < half ? offset : half + ((offset - half) % (limit - half)));
  let buffer = Buffer.alloc(0);
  let size = 0;
  return {
    write(chunk) {
      buffer = growBuffer(buffer, Math.min(limit, size + chunk.length), limit);
      for (let at = 0; at < chunk.length; ) {
        const place = ringIndex(size);
        const part = chunk.subarray(at, at + limit - place);
        buffer.set(part, place);
        at += part.length;
        size += part.length;
      }
    },
    end() {
      if (size <= limit) return { bytes: buffer.subarray(0, size), size, wasTruncated: false };
      const oldest = ringIndex(size);
      const tail = Buffer.concat([buffer.subarray(oldest), buffer.subarray(half, oldest)]);
      return joinHeadAndTail(buffer.subarray(0, half), tail, size);
    },
  };
}

/** Keeps at most `limit` bytes of captured output. */
export function truncateOutput(captured: CapturedOutput, limit: number): CapturedOutput {
  const { bytes, size } = captured;
  if (bytes.length <= limit) return captured;
  const half = Math.floor(limit / 2);
  return joinHeadAndTail(bytes.subarray(0, half), bytes.subarray(bytes.length - half), size);
}

function growBuffer(buffer: Buffer<ArrayBuffer>, needed: number, limit: number): Buffer<ArrayBuffer> {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * buffer.length)));
  buffer.copy(larger);
  return larger;
}

// The line replaces the beginning of the tail. Neither part is cut inside a character.
function joinHeadAndTail(head: Buffer, tail: Buffer, size: number): CapturedOutput {
  const first = head.subarray(0, findCharacterEnd(head));
  const last = tail.subarray(findCharacterStart(tail, maxNoteBytes));
  const note = Buffer.from(`\n… ${size - first.length - last.length} bytes left out …\n`);
  return { bytes: Buffer.concat([first, note, last]), size, wasTruncated: true };
}

const isContinuationByte = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function findCharacterEnd(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuationByte(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const width = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + width > bytes.length ? start : bytes.length;
}

function findCharacterStart(bytes: Buffer, from: number): number {
  let start = from;
  while (start < from + 3 && isContinuationByte(bytes[start])) start++;
  return start;
}

// Processes of a recipe only get these variables of our environment, so that neither secrets nor settings of the machine reach them.
const commonNames = ['PATH', 'HOME', 'LANG', 'TZ', 'CI'];

/** Programs on Windows need these to start and to find their folders. */
const windowsNames = ['SystemRoot', 'PATHEXT', 'ComSpec', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'];

/** `passEnv`: the names of variables that the project also passes. `declared`: the variables of the node. */
export type EnvSources = { passEnv?: readonly string[]; declared?: Readonly<Record<string, string>> | undefined };

export function buildChildEnv({ passEnv = [], declared }: EnvSources): Record<string, string> {
  const names = [...commonNames, ...(process.platform === 'win32' ? windowsNames : []), ...passEnv];
  const inherited = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared };
}
