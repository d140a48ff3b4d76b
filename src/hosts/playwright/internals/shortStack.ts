// Playwright takes the place of a call from the stack, and looks for every frame of it in the source maps of the test files.
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Call } from '../../../browser/pageCalls.js';
import type { Place } from '../../../document/finding.js';
import { ownScript } from '../../../system/ownScript.js';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));
const playwrightPath = /[\\/]node_modules[\\/]playwright(-core)?[\\/](lib[\\/]|[^\\/]+$)/;

/** Of a call that is made from here, Playwright is shown its own last frame and `place`, or the frame that made the call. */
export function withShortStack<T>(call: () => T, place?: Place): T {
  const { prepareStackTrace } = Error;
  const placeFrame = place && `    at recipe (${place.file}:${place.line}:${place.column})`;
  Error.prepareStackTrace = (error, frames) => {
    const short = shortenStack(frames, placeFrame);
    if (short !== undefined) return `${error}\n${short}`;
    const whole = prepareStackTrace ? prepareStackTrace(error, frames) : [error, ...frames].join('\n    at ');
    return placeFrame === undefined || typeof whole !== 'string' ? whole : replaceOwnFrame(placeFrame, whole);
  };
  try {
    return call();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Nothing when it is no question of Playwright's, or somebody else made the call. */
function shortenStack(frames: readonly NodeJS.CallSite[], placeFrame: string | undefined): string | undefined {
  const index = frames.findIndex((frame) => !isPlaywrightFile(frame.getFileName() ?? ''));
  if (index <= 0 || !isOwnFrame(frames[index]?.getFileName() ?? '')) return undefined;
  return `    at ${frames[index - 1]}\n${placeFrame ?? `    at ${frames[index]}`}`;
}

/** Whoever is called, and by whatever way, was called from the place. */
function replaceOwnFrame(placeFrame: string, stack: string): string {
  const lines = stack.split('\n');
  const own = lines.findIndex((line) => line.startsWith('    at ') && isOwnFrame(line));
  if (own !== -1) lines[own] = placeFrame;
  return lines.join('\n');
}

/** A file of ours, or a frame that stands in one. */
export function isOwnFrame(text: string): boolean {
  return text.includes(ownFolder) || text.includes(ownScript);
}

/** A file of Playwright's. */
function isPlaywrightFile(file: string): boolean {
  return playwrightPath.test(file);
}

// Code that stands at a line and column of a JSON file, so that what it calls is reported from there.

/** The value of an expression compiled at `place`; `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

const resolvedPromise = Promise.resolve();

/** Calls a method as from `place`: Playwright reports its API steps from where they are called. It reads the stack, which is short in a microtask. */
export function createCallAt(place: Place): Call {
  const call = (target: Record<PropertyKey, Method>, method: PropertyKey, ...args: unknown[]): Promise<unknown> =>
    resolvedPromise.then(() => withShortStack(() => Reflect.apply(target[method] as Method, target, args), place));
  return call as unknown as Call;
}

type Method = (...args: unknown[]) => unknown;

const pointedErrors = new WeakSet<Error>();

/** Makes an error point at `place`, once, and leaves our own frames out of its stack. */
export function pointErrorAt(error: Error, place: Place, name: string): void {
  if (pointedErrors.has(error)) return;
  pointedErrors.add(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const start = stack.search(/\n {4}at /);
  const [head, frames] = start === -1 ? [stack, []] : [stack.slice(0, start), stack.slice(start + 1).split('\n')];
  const others = frames.filter((frame) => !isOwnFrame(frame));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
