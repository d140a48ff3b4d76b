// Where the closing lines of a reporter go: a machine that reads stdout gets its report there and nothing else.
import { hasColors } from '../../system/hasColors.js';
import { type Closing, closingText } from './closingText.js';

/** `isForMachines`: another reporter writes what a machine parses to stdout, or nobody writes there for people. */
export function printClosing(closing: Closing, isForMachines: boolean): void {
  const stream = isForMachines ? process.stderr : process.stdout;
  stream.write(closingText(closing, hasColors(stream)));
}
