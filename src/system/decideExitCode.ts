// The exit code of this process, decided after every listener of "exit": they may set another one, call process.exit() or throw.
// Node calls process.emit and process.reallyExit by their names (lib/internal/process/per_thread.js of Node 20 and 24); signal-exit leans on the same.

/** `onThrow` hears of an error of a listener before `decide` is asked; Node does not hear of it any more. */
export type ExitDecision = { decide: (code: number) => number; onThrow: (thrown: unknown) => void };

type Exiting = { emit(event: string, ...args: unknown[]): boolean; reallyExit(code?: number): never };

let current: ExitDecision | undefined;

/** The last decision given counts. */
export function decideExitCode(decision: ExitDecision): void {
  if (!current) takeOver(process as unknown as Exiting);
  current = decision;
}

function takeOver(exiting: Exiting): void {
  const { emit, reallyExit } = exiting;
  let decided: number | undefined;
  const decide = (code: number): number => {
    decided ??= current?.decide(code) ?? code;
    return decided;
  };
  exiting.emit = (event, ...args) => {
    if (event !== 'exit') return emit.call(process, event, ...args);
    let isHeard = true;
    try {
      isHeard = emit.call(process, event, ...args);
    } catch (thrown) {
      current?.onThrow(thrown);
    }
    process.exitCode = decide(Number(process.exitCode ?? args[0] ?? 0));
    return isHeard;
  };
  // A listener that calls process.exit() comes here before the others are done.
  exiting.reallyExit = (code = 0) => reallyExit.call(process, decide(code));
}
