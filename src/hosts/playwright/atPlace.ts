// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Place } from '../../document/finding.js';

/** The value of an expression compiled at `place`; `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

type Trampoline = <T>(work: () => Promise<T>) => Promise<T>;

const trampolines = new Map<string, Trampoline>();

/** Runs work under a frame at `place`: Playwright's API steps, expects and error stacks then say the JSON. */
export function runAt<T>(place: Place, work: () => Promise<T>): Promise<T> {
  const key = `${place.file}:${place.line}:${place.column}`;
  let trampoline = trampolines.get(key);
  if (!trampoline) {
    trampoline = compileAt<Trampoline>(place, 'async (work) => await', 'work()');
    trampolines.set(key, trampoline);
  }
  return trampoline(work);
}

const pointed = new WeakSet<Error>();
const ownFolder = fileURLToPath(new URL('.', import.meta.url));

/** Makes an error point at `place`, once, and leaves our own frames out of its stack. */
export function pointAt(error: Error, place: Place, name: string): void {
  if (pointed.has(error)) return;
  pointed.add(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const start = stack.search(/\n {4}at /);
  const [head, frames] = start === -1 ? [stack, []] : [stack.slice(0, start), stack.slice(start + 1).split('\n')];
  const others = frames.filter((frame) => !frame.includes(ownFolder));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
