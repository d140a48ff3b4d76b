// The exit code is ours: code of the project runs in this process and may set another one, also while it ends.
let [ofCommand, later]: [number, number | undefined] = [0, undefined];

/** That of the command, which is over. */
export function keepExitCode(code: number): void {
  ofCommand = code;
}

/** Something that came after the answer changes it. */
export function overrideExitCode(code: number): void {
  later = code;
}

export function exitCode(): number {
  return later ?? ofCommand;
}

/** Listeners are called in the order in which they came: this one is the last. */
export function exitWithOwnCode(): void {
  process.once('exit', () => {
    process.exitCode = exitCode();
  });
  process.exit(exitCode());
}
