// One command of a run: what is asked of the program that starts it, and what came of it.

/** What a command is started with. */
export type ExecRequest = {
  argv: readonly [string, ...string[]];
  /** Undefined for a first step, whose input is closed. */
  stdin?: Buffer | undefined;
  timeoutMs?: number | undefined;
  /** How often the command is tried at most. */
  retry?: number | undefined;
  signal: AbortSignal;
};

export type ExecResult = {
  code: number;
  /** The command was stopped: its time was over, or the run was aborted. */
  killed: boolean;
  stdout: Buffer;
  stderr: Buffer;
  /** Why the command failed, where its exit code does not say so: a signal, a time limit, a program that does not exist. */
  reason?: string;
};

/** Starts one command and waits for its end. */
export type Exec = (request: ExecRequest) => Promise<ExecResult>;

/** One command that was started, and its result once it has ended. */
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
