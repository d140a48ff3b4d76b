// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Call } from '../../actions/action.js';
import type { Place } from '../../document/finding.js';
import { ownScript } from '../../system/ownScript.js';

/** The value of an expression compiled at `place`; `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

type Caller = (target: object, method: PropertyKey, args: readonly unknown[]) => unknown;

const callers = new Map<string, Caller>();

/** Compiles the callers of many places at once: one script costs about as much as one caller. */
export function prepareCalls(places: readonly Place[]): void {
  // The head of a caller stands on a line before its place, so of those on one line the first is prepared.
  const byLine = new Map([...places].reverse().map((place) => [place.line, place]));
  const sorted = [...byLine.values()].sort((a, b) => a.line - b.line);
  const [first] = sorted;
  if (!first) return;
  let source = '[';
  let line = first.line - 1;
  for (const place of sorted) {
    source += `(${callerHead}${'\n'.repeat(place.line - line)}${' '.repeat(place.column - 1)}${callerCall}),`;
    line = place.line;
  }
  const compiled = runInThisContext(`${source}]`, { filename: first.file, lineOffset: first.line - 2 }) as Caller[];
  for (const [index, caller] of compiled.entries()) callers.set(keyOf(sorted[index] as Place), caller);
}

const callerHead = '(target, method, args) => target[method]';
// A call is reported from its opening parenthesis.
const callerCall = '(...args)';

function keyOf({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** Calls a method from a frame at `place`: Playwright reports its API steps from where they are called. */
export const callAt = (place: Place): Call => {
  const key = keyOf(place);
  let caller = callers.get(key);
  if (!caller) {
    caller = compileAt<Caller>(place, callerHead, callerCall);
    callers.set(key, caller);
  }
  const at = caller;
  return ((target: object, method: PropertyKey, ...args: unknown[]) => fromEmptyStack(() => at(target, method, args))) as Call;
};

const now = Promise.resolve();

/**
 * Playwright reads the stack at every call of its API, and each frame costs it. A microtask has no frames below it, and at the
 * two closures the search for awaiting functions ends.
 */
export function fromEmptyStack<T>(work: () => T): Promise<Awaited<T>> {
  return new Promise((resolve, reject) => {
    now.then(work).then(
      (value) => resolve(value as Awaited<T>),
      (thrown) => reject(thrown),
    );
  });
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
  const others = frames.filter((frame) => !frame.includes(ownFolder) && !frame.includes(ownScript));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
