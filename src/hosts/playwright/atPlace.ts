// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.
import { runInThisContext } from 'node:vm';
import type { Call } from '../../browser/pageCalls.js';
import type { Place } from '../../document/finding.js';
import { isOwn, withShortStack } from './shortStack.js';

/** The value of an expression compiled at `place`; `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

const now = Promise.resolve();

/** Calls a method as from `place`: Playwright reports its API steps from where they are called. It reads the stack, which is short in a microtask. */
export function callAt(place: Place): Call {
  const call = (target: Record<PropertyKey, Method>, method: PropertyKey, ...args: unknown[]): Promise<unknown> =>
    now.then(() => withShortStack(() => Reflect.apply(target[method] as Method, target, args), place));
  return call as unknown as Call;
}

type Method = (...args: unknown[]) => unknown;

const pointed = new WeakSet<Error>();

/** Makes an error point at `place`, once, and leaves our own frames out of its stack. */
export function pointAt(error: Error, place: Place, name: string): void {
  if (pointed.has(error)) return;
  pointed.add(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const start = stack.search(/\n {4}at /);
  const [head, frames] = start === -1 ? [stack, []] : [stack.slice(0, start), stack.slice(start + 1).split('\n')];
  const others = frames.filter((frame) => !isOwn(frame));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
