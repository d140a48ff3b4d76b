// Decides the exit code of this process after all listeners of "exit", which may set another one, call process.exit() or throw.
// Like the package signal-exit, it replaces process.emit, by which Node calls the listeners, and process.reallyExit, which Node calls
// last (lib/internal/process/per_thread.js of Node 20 and 24).

/** Gets the code that the process would end with, and returns the one to end with. Must not throw. */
export type DecideExitCode = (exitCode: number) => number;

type ExitDecision = { decide: DecideExitCode; onThrow: ((thrown: unknown) => void) | undefined };

const decisions = new Set<ExitDecision>();
let isPatched = false;
let finalExitCode: number | undefined;

/**
 * `onThrow` gets an error that a listener of "exit" throws, before `decide` is called; Node does not see it.
 * The returned function withdraws the decision.
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

type Exit = { emit(event: string | symbol, ...args: unknown[]): boolean; reallyExit(code?: unknown): never };

function patchProcess(): void {
  isPatched = true;
  const exit = process as unknown as Exit;
  const { emit, reallyExit } = exit;
  exit.emit = (event, ...args) => {
    if (event !== 'exit') return Reflect.apply(emit, process, [event, ...args]) as boolean;
    const hasListeners = callListeners(() => Reflect.apply(emit, process, [event, ...args]) as boolean);
    process.exitCode = resolveExitCode(process.exitCode ?? args[0]);
    return hasListeners;
  };
  // A listener that calls process.exit() ends here, and skips the listeners after it.
  exit.reallyExit = (code) => Reflect.apply(reallyExit, process, [resolveExitCode(code)]) as never;
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
