// The exit code of this process, decided after everybody else who has a say in it.
// As the package signal-exit does: Node calls `process.emit` for the listeners of `exit`, and `process.reallyExit` last of all,
// also when one of those listeners calls process.exit() itself.

/** Takes the code that the process would end with, and gives the one that it ends with. It may be asked twice, and never throws. */
export type DecideExitCode = (exitCode: number) => number;

const deciders = new Set<DecideExitCode>();
let isPatched = false;

/** What comes back undoes it. */
export function decideExitCode(decide: DecideExitCode): () => void {
  if (!isPatched) patch();
  deciders.add(decide);
  return () => deciders.delete(decide);
}

function decided(exitCode: unknown): number {
  return [...deciders].reduce((code, decide) => decide(code), Number(exitCode) || 0);
}

type Exit = { emit(event: string | symbol, ...args: unknown[]): boolean; reallyExit(code?: unknown): never };

function patch(): void {
  isPatched = true;
  const exit = process as unknown as Exit;
  const { emit, reallyExit } = exit;
  exit.emit = (event, ...args) => {
    const isHeard = Reflect.apply(emit, process, [event, ...args]) as boolean;
    if (event === 'exit') process.exitCode = decided(process.exitCode);
    return isHeard;
  };
  exit.reallyExit = (code) => Reflect.apply(reallyExit, process, [decided(code)]) as never;
}
