// Modules of the project run in this process: they may neither make a command look done nor write into its answer.
import { exitCodes } from '../evidence/failure.js';
import { keepLastWord } from './exitCode.js';

/** What Node ends with when the last thing to wait for will never come. */
const neverSettled = 13;

/** Until somebody else has the last word, the process cannot end as if all were well. */
export function refuseEarlyEnd(): void {
  keepLastWord((code) => {
    if (code !== exitCodes.pass && code !== neverSettled) return code;
    process.stderr.write(
      'recipewright: the process ended before the command did. A config, setup module or action calls process.exit() or waits for ever: take that out.\n',
    );
    return exitCodes.harness;
  });
}

/** stdout is one document: what others log goes to stderr. */
export function keepStdout(): void {
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
}
