// Playwright asks for a stack at every step of its own work, and looks for each frame in source maps, which its own files do not have.
import { isOwnFile, isPlaywrightFile } from './shortStack.js';

let isTold = false;

/** Once in a process: whenever `isWanted`, stacks in which only Playwright, Node and we have a part are told without that search. */
export function tellPlainStacks(isWanted: () => boolean): void {
  const former = Error.prepareStackTrace;
  if (!former || isTold) return;
  isTold = true;
  Error.prepareStackTrace = (error, frames) =>
    isWanted() && frames.every(isPlain) ? plain(error, frames) : former(error, frames);
}

/** Playwright takes "async" before the path of a file for a part of it; its own way of telling leaves the word out. */
function plain({ name, message }: Error, frames: readonly NodeJS.CallSite[]): string {
  let stack = `${name || 'Error'}: ${message ?? ''}`;
  for (const frame of frames) {
    const text = `${frame}`;
    stack += `\n    at ${text.startsWith('async ') && frame.getFileName() ? text.slice(6) : text}`;
  }
  return stack;
}

const known = new Map<string, boolean>();

function isPlain(frame: NodeJS.CallSite): boolean {
  const file = frame.getFileName();
  if (!file) return !frame.isEval();
  let plain = known.get(file);
  if (plain === undefined) {
    plain = file.startsWith('node:') || isPlaywrightFile(file) || isOwnFile(file);
    known.set(file, plain);
  }
  return plain;
}
