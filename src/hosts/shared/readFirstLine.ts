import { stripVTControlCharacters } from 'node:util';

/** Returns the first line of the message of an error, without colors. */
export function readFirstLine(error: unknown): string {
  const [line = ''] = stripVTControlCharacters(error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}
