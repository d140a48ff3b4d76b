// Modules of the project run in this process: they may neither make a command look done nor write into its answer.
import { exitCodes } from '../evidence/failure.js';

/** What Node ends with when the last thing to wait for will never come. */
const neverSettled = 13;

/** Until the function it gives is called, the process cannot end as if all were well. */
export function refuseEarlyEnd(): () => void {
  const refuse = (code: number): void => {
    if (code !== exitCodes.pass && code !== neverSettled) return;
    process.exitCode = exitCodes.harness;
    process.stderr.write(
      'recipewright: the process ended before the command did. A config, setup module or action calls process.exit() or waits for ever: take that out.\n',
    );
  };
  process.once('exit', refuse);
  return () => void process.off('exit', refuse);
}

/** stdout is one document: what others log goes to stderr. */
export function keepStdout(): void {
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
}
