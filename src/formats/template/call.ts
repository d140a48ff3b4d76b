// The request to start one command of a run, and its result.

export type ExecRequest = {
  argv: readonly [string, ...string[]];
  /** Undefined for the first step of a run, whose stdin is closed. */
  stdin?: Buffer | undefined;
  timeoutMs?: number | undefined;
  /** The maximum number of attempts. */
  retry?: number | undefined;
  signal: AbortSignal;
};

export type ExecResult = {
  code: number;
  /** The command was stopped at its time limit, or because the run was aborted. */
  killed: boolean;
  stdout: Buffer;
  stderr: Buffer;
  /** Why the command failed, when the exit code does not tell: a signal, a time limit, or a program that does not exist. */
  reason?: string;
};

/** Runs one command to its end. */
export type Exec = (request: ExecRequest) => Promise<ExecResult>;

/** A started command. The result fields are set when the command has ended. */
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
