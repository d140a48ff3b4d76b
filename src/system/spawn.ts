// One process wrapper for every action: its own group, bounded output, killed as a group, never read as a success when signalled.
import { systemClock } from './clock.js';
import { collect, type Spool } from './spool.js';

export type ProcessRequest = {
  /** Shell text, or a program and its arguments. */
  command: string | readonly [string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: Buffer | undefined;
  signal: AbortSignal;
};

export type ProcessResult = { exitCode: number | null; signal: string | null; spawnError?: string; stdout: Spool; stderr: Spool };

const killAfterMs = 1_000;
const drainMs = 500;

export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { execa } = await import('execa');
  const [file, args, shell] =
    typeof request.command === 'string' ? [request.command, [], true] : [request.command[0], request.command.slice(1), false];
  const child = execa(file, args, {
    ...{ cwd: request.cwd, env: request.env, extendEnv: false, shell, reject: false, buffer: false, cleanup: true },
    ...{ encoding: 'buffer', detached: process.platform !== 'win32', windowsHide: true },
    ...(request.stdin === undefined ? { stdin: 'ignore' as const } : { input: request.stdin }),
  });
  const [stdout, stderr] = [collect(), collect()];
  child.stdout.on('data', (chunk: Buffer) => stdout.write(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.write(chunk));
  const abort = (): void => killGroup(child.pid);
  if (request.signal.aborted) abort();
  request.signal.addEventListener('abort', abort, { once: true });
  const ended = await exitOf(child);
  request.signal.removeEventListener('abort', abort);
  return { ...ended, stdout: stdout.end(), stderr: stderr.end() };
}

type Ended = Pick<ProcessResult, 'exitCode' | 'signal' | 'spawnError'>;
type Child = {
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  then(settled: (result: { signal?: string | undefined; shortMessage?: string | undefined }) => void): unknown;
};

// A grandchild may hold the pipes open long after the process is gone, so the exit decides and the pipes get a moment to drain.
function exitOf(child: Child): Promise<Ended> {
  return new Promise((resolve) => {
    let exit: Ended | undefined;
    let withdraw = (): void => undefined;
    child.once('exit', (exitCode, signal) => {
      exit = { exitCode, signal };
      withdraw = systemClock.after(drainMs, () => resolve({ exitCode, signal }));
    });
    child.then((result) => {
      withdraw();
      resolve(
        exit ?? {
          exitCode: null,
          signal: result.signal ?? null,
          spawnError: result.shortMessage ?? 'the process could not be started',
        },
      );
    });
  });
}

export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  systemClock.after(killAfterMs, () => signalGroup(pid, 'SIGKILL'));
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // ESRCH: the group is gone already.
  }
}
