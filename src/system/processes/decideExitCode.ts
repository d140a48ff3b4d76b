// Decides the exit code of this process after all "exit" listeners, which may set another exit code, call process.exit() or throw.
// Like the package signal-exit, this replaces process.emit, which calls the listeners, and process.reallyExit, which Node calls
// last (lib/internal/process/per_thread.js of Node 20 and 24).

/** Receives the exit code that the process would end with, and returns the exit code to use. Must not throw. */
export type DecideExitCode = (exitCode: number) => number;

type ExitDecision = { decide: DecideExitCode; onThrow: ((thrown: unknown) => void) | undefined };

const decisions = new Set<ExitDecision>();
let isPatched = false;
let finalExitCode: number | undefined;

/**
 * Adds a decision, and returns a function that removes the decision.
 * `onThrow`: called before `decide` with an error that an "exit" listener throws. Node does not see this error.
 */
export function decideExitCode(decide: DecideExitCode, onThrow?: (thrown: unknown) => void): () => void {
  if (!isPatched) patchProcess();
  const decision = { decide, onThrow };
  decisions.add(decision);
  return () => decisions.delete(decision);
}

function resolveExitCode(exitCode: unknown): number {
  finalExitCode ??= [...decisions].reduce((code, { decide }) => decide(code), Number(exitCode) || 0);
  return finalExitCode;
}

type ExitInternals = { emit(event: string | symbol, ...args: unknown[]): boolean; reallyExit(code?: unknown): never };

function patchProcess(): void {
  isPatched = true;
  const internals = process as unknown as ExitInternals;
  const { emit, reallyExit } = internals;
  internals.emit = (event, ...args) => {
    if (event !== 'exit') return Reflect.apply(emit, process, [event, ...args]) as boolean;
    const hasListeners = callListeners(() => Reflect.apply(emit, process, [event, ...args]) as boolean);
    process.exitCode = resolveExitCode(process.exitCode ?? args[0]);
    return hasListeners;
  };
  // Node calls this directly when a listener calls process.exit(), and skips the listeners after it.
  internals.reallyExit = (code) => Reflect.apply(reallyExit, process, [resolveExitCode(code)]) as never;
}

function callListeners(call: () => boolean): boolean {
  try {
    return call();
  } catch (thrown) {
    const handlers = [...decisions].flatMap(({ onThrow }) => onThrow ?? []);
    if (handlers.length === 0) throw thrown;
    for (const onThrow of handlers) onThrow(thrown);
    return true;
  }
}
