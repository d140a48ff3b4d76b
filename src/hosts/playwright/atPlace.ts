// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Call } from '../../actions/action.js';
import type { Place } from '../../document/finding.js';

/** The value of an expression compiled at `place`; `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

type Caller = (target: object, method: PropertyKey, args: readonly unknown[]) => unknown;

const callers = new Map<string, Caller>();

/** Calls a method from a frame at `place`: Playwright reports its API steps from where they are called. */
export const callAt = (place: Place): Call => {
  const key = `${place.file}:${place.line}:${place.column}`;
  let caller = callers.get(key);
  if (!caller) {
    // A call is reported from its opening parenthesis.
    caller = compileAt<Caller>(place, '(target, method, args) => target[method]', '(...args)');
    callers.set(key, caller);
  }
  const at = caller;
  return ((target: object, method: PropertyKey, ...args: unknown[]) => at(target, method, args)) as Call;
};

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
