// What one run of a command template shares: how a process is started, how strict it is, and what was started so far.
import type { Layer } from '../templateValues.js';

export type ExecRequest = {
  argv: readonly [string, ...string[]];
  /** Undefined for a first step, whose input is closed. */
  stdin?: Buffer | undefined;
  timeoutMs?: number | undefined;
  retry?: number | undefined;
  signal: AbortSignal;
};

export type ExecResult = {
  code: number;
  /** It was made to end, by its time limit or by whoever stopped the run. */
  killed: boolean;
  stdout: Buffer;
  stderr: Buffer;
  /** Why its success is none, for a process that was signalled or could not be read to its end. */
  reason?: string;
};

/** Starts one command and waits for its end. */
export type Exec = (request: ExecRequest) => Promise<ExecResult>;

/** One command as it was started, and what came of it. */
export type Call = {
  argv: string[];
  stdin?: Buffer;
  timeout?: number;
  retry?: number;
  code?: number;
  killed?: boolean;
  stdout?: Buffer;
  stderr?: Buffer;
  reason?: string;
};

export type Execution = {
  exec: Exec;
  callerValues: Layer;
  compat: boolean;
  cwd: string;
  /** How many branches may run side by side. */
  maxParallel: number;
  calls: Call[];
  wait(ms: number, signal: AbortSignal): Promise<void>;
};
