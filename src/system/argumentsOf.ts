// The words a running program was started with, where the system tells.
import { readdirSync, readFileSync } from 'node:fs';

/** Of the first program that has this word among them. */
export function argumentsOf(word: string): string[] | undefined {
  for (const pid of numbersIn('/proc')) {
    const words = readIfThere(`/proc/${pid}/cmdline`).split('\0');
    if (words.includes(word)) return words;
  }
  return undefined;
}

function numbersIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => /^\d+$/.test(name));
  } catch {
    // ENOENT: only Linux has it.
    return [];
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // ENOENT or ESRCH: it ended while we looked. EACCES: it is somebody else's.
    return '';
  }
}
