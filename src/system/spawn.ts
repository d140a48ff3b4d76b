// One process wrapper for every action: its own group, bounded output, killed as a tree, never read as a success when signalled.
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { setImmediate, systemClock } from './clock.js';
import { importModule } from './importModule.js';
import { enrolTree, killTree, releaseTree } from './killTree.js';
import { tagEnv } from './runTag.js';
import { collect, emptySpool, type Spool } from './spool.js';

export type ProcessRequest = {
  /** Shell text, or a program and its arguments. */
  command: string | readonly [string, ...string[]];
  /** A directory that exists. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: Buffer | undefined;
  /** Aborted with an Error when its time is over, with a text when the run is interrupted. */
  signal: AbortSignal;
  /** `<runId>/<path>`: who started it. What it leaves behind is found by this, and ended by `sweepRun`. */
  tag: string;
  /** Goes over the bytes of each stream before any of them is kept. */
  redact?: (() => Redactor) | undefined;
  /** Hears of what it writes as it is written. */
  output?: Output | undefined;
};

export type Output = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

export type Redactor = { write(chunk: Buffer): Buffer; end(): Buffer };

export type ProcessResult = {
  exitCode: number | null;
  signal: string | null;
  /** Why it never ran. */
  spawnError?: string;
  /** The same as the system says it, such as ENOENT. */
  spawnCode?: string | undefined;
  /** What could not be killed. */
  survivors: readonly string[];
  stdout: Spool;
  stderr: Spool;
};

export const patienceMs = { timedOut: 5_000, interrupted: 1_000 } as const;
export const drainMs = 500;

export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  childProcess ??= await importModule<ChildProcesses>('node:child_process');
  // In one go: a program that is not there is told of in the next tick, and whoever does not listen by then dies of it.
  const child = start(childProcess, request);
  if ('spawnError' in child) return { ...child, survivors: [], stdout: emptySpool(), stderr: emptySpool() };
  const [stdout, stderr] = [gather(request, 'stdout'), gather(request, 'stderr')];
  child.stdout?.on('data', stdout.write);
  child.stderr?.on('data', stderr.write);
  const stop = killOnAbort(child, request);
  const ended = await Promise.race([exitOf(child, request), stop.givenUp]);
  stop.withdraw();
  const survivors = await stop.survivors();
  if (child.pid !== undefined) releaseTree(child.pid);
  letGo(child, request.signal.aborted);
  return { ...ended, survivors, stdout: stdout.end(), stderr: stderr.end() };
}

function gather({ redact, output }: ProcessRequest, stream: 'stdout' | 'stderr'): ReturnType<typeof collect> {
  const spool = output ? told(collect(), (chunk) => output(stream, chunk)) : collect();
  if (!redact) return spool;
  const redactor = redact();
  return {
    write: (chunk) => spool.write(redactor.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end() {
      spool.write(redactor.end());
      return spool.end();
    },
  };
}

function told(spool: ReturnType<typeof collect>, tell: (chunk: Uint8Array) => void): ReturnType<typeof collect> {
  const write = (chunk: Uint8Array): void => {
    spool.write(chunk);
    tell(chunk);
  };
  return { ...spool, write };
}

type ChildProcesses = typeof import('node:child_process');
type Ended = Pick<ProcessResult, 'exitCode' | 'signal' | 'spawnError' | 'spawnCode'>;
type NotStarted = Ended & { spawnError: string };

function notStarted(spawnError: string, spawnCode?: string): NotStarted {
  return { exitCode: null, signal: null, spawnError, spawnCode };
}

// Loaded when it is needed: checking a recipe needs no processes and starts the faster for it.
let childProcess: ChildProcesses | undefined;

/** The process, or why there is none. */
function start({ spawn }: ChildProcesses, request: ProcessRequest): ChildProcess | NotStarted {
  const { command, cwd, env, stdin, signal, tag } = request;
  if (signal.aborted) return notStarted('it was told to stop before it began');
  const [file, ...args] = typeof command === 'string' ? [command] : command;
  try {
    const child = spawn(file, args, {
      ...{ cwd, env: { ...env, ...tagEnv(tag) }, shell: typeof command === 'string', windowsHide: true },
      ...{ detached: process.platform !== 'win32', stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] },
    });
    if (child.pid !== undefined) enrolTree({ pid: child.pid, tag });
    // EPIPE: it does not read what it is given, which is its own affair.
    child.stdin?.on('error', () => undefined).end(stdin);
    return child;
  } catch (thrown) {
    return refusedBy(thrown, request);
  }
}

// A grandchild may hold the pipes open long after the process is gone, so the exit decides and the pipes get a moment to drain.
function exitOf(child: ChildProcess, request: ProcessRequest): Promise<Ended> {
  return new Promise((resolve) => {
    let withdraw = (): void => undefined;
    child.once('error', (error) => resolve(refusedBy(error, request)));
    child.once('exit', (exitCode, signal) => {
      withdraw = afterReading(drainMs, () => resolve({ exitCode, signal }));
    });
    child.once('close', (exitCode, signal) => {
      withdraw();
      resolve({ exitCode, signal });
    });
  });
}

// When we were too busy to look, the time may be over while an exit and a pipe full of output still wait to be read.
function afterReading(ms: number, then: () => void): () => void {
  return systemClock.after(ms, () => setImmediate(then));
}

type Stop = { givenUp: Promise<Ended>; survivors(): Promise<readonly string[]>; withdraw(): void };

/** `givenUp`: it was killed and does not even end then, or its pipes do not. */
function killOnAbort(child: ChildProcess, { signal, tag }: ProcessRequest): Stop {
  const { pid } = child;
  let killing: Promise<readonly string[]> | undefined;
  let [isOver, kill, withdrawTimer] = [false, (): void => undefined, (): void => undefined];
  const givenUp = new Promise<Ended>((resolve) => {
    const giveUp = (): void => {
      if (!isOver) withdrawTimer = afterReading(drainMs, () => resolve({ exitCode: child.exitCode, signal: child.signalCode }));
    };
    kill = () => {
      if (pid === undefined) return;
      killing = killTree({ pid, tag }, signal.reason instanceof Error ? patienceMs.timedOut : patienceMs.interrupted);
      killing.then(giveUp, giveUp);
    };
    signal.addEventListener('abort', kill, { once: true });
  });
  const withdraw = (): void => {
    isOver = true;
    signal.removeEventListener('abort', kill);
    withdrawTimer();
  };
  return { givenUp, survivors: async () => (await killing) ?? [], withdraw };
}

// What a node left running in peace goes on writing, and would die of a closed pipe: it is read on, without keeping us alive.
function letGo(child: ChildProcess, wasKilled: boolean): void {
  child.stdin?.destroy();
  if (child.exitCode === null && child.signalCode === null) child.unref();
  for (const stream of [child.stdout, child.stderr] as (Socket | null)[]) {
    if (!stream || stream.destroyed) continue;
    stream.removeAllListeners('data');
    if (wasKilled) stream.destroy();
    else stream.resume().unref();
  }
}

function refusedBy(thrown: unknown, request: ProcessRequest): NotStarted {
  return notStarted(reasonOf(thrown, request), (thrown as NodeJS.ErrnoException).code);
}

function reasonOf(thrown: unknown, { command, cwd }: ProcessRequest): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  const program = JSON.stringify(typeof command === 'string' ? 'sh' : command[0]);
  // The message would show the value, which may be a secret.
  if (code === 'ERR_INVALID_ARG_VALUE') return 'a value for it has a null byte, which only stdin can carry.';
  if (code === 'ENOENT') return `there is no program ${program} in PATH or below ${cwd}. Install it, or check its name.`;
  if (code === 'EACCES') return `${program} may not be executed. Check its permissions (chmod +x) and those of ${cwd}.`;
  if (code === 'E2BIG') return 'its arguments and environment are too long for the system. Hand large values over by stdin.';
  return message;
}
