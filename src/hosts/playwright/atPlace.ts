// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.
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
    trampoline = compileAt<Trampoline>(place, 'async (work) =>', 'await work()');
    trampolines.set(key, trampoline);
  }
  return trampoline(work);
}

/** Makes an error point at `place`, unless its stack names the file already. */
export function pointAt(error: Error, place: Place, name: string): void {
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  if (stack.includes(`${place.file}:`)) return;
  const frame = `    at ${name} (${place.file}:${place.line}:${place.column})`;
  const first = stack.search(/\n {4}at /);
  error.stack = first === -1 ? `${stack}\n${frame}` : `${stack.slice(0, first)}\n${frame}${stack.slice(first)}`;
}
