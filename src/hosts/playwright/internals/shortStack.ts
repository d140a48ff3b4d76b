// Gives page calls and errors the place of their node: Playwright reports a call from where the stack says that it was made (decisions/023).
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright-core/src/client/clientStackTrace.ts (captureLibraryStackTrace)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/transform/transform.ts (wrapFunctionWithLocation)
// If Playwright reads places in another way, calls are reported from the first frame of this package.
import { basename, dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Call } from '../../../browser/pageCalls.js';
import type { Place } from '../../../document/finding.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Playwright follows the source maps of the package, so that frames of `dist` name files beside it. */
const ownFolder = basename(folder) === 'dist' ? dirname(folder) + sep : folder;
const playwrightPath = /[\\/]node_modules[\\/]playwright(-core)?[\\/](lib[\\/]|[^\\/]+$)/;

/**
 * Makes a call with a stack of two frames: the last one of Playwright, and the place, or else the frame that made the call.
 * All other stacks that are taken meanwhile are formatted as before, with the place instead of the first frame of this package.
 */
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

/** Undefined unless Playwright takes the stack, for a call that this package made. */
function shortenStack(frames: readonly NodeJS.CallSite[], placeFrame: string | undefined): string | undefined {
  const index = frames.findIndex((frame) => !playwrightPath.test(frame.getFileName() ?? ''));
  if (index <= 0 || !isOwnFrame(frames[index]?.getFileName() ?? '')) return undefined;
  return `    at ${frames[index - 1]}\n${placeFrame ?? `    at ${frames[index]}`}`;
}

function replaceOwnFrame(placeFrame: string, stack: string): string {
  const lines = stack.split('\n');
  const own = lines.findIndex((line) => line.startsWith('    at ') && isOwnFrame(line));
  if (own !== -1) lines[own] = placeFrame;
  return lines.join('\n');
}

/** Whether a frame, or a file, belongs to this package. */
export function isOwnFrame(text: string): boolean {
  return text.includes(ownFolder);
}

/** The value of an expression that is compiled at `place`; `head` goes on the line before. What it calls is reported from there. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

const resolvedPromise = Promise.resolve();

/** Makes method calls that Playwright reports from `place`. They are made in a microtask, where the stack is short. */
export function createCallAt(place: Place): Call {
  const call = (target: Record<PropertyKey, Method>, method: PropertyKey, ...args: unknown[]): Promise<unknown> =>
    resolvedPromise.then(() => withShortStack(() => Reflect.apply(target[method] as Method, target, args), place));
  return call as unknown as Call;
}

type Method = (...args: unknown[]) => unknown;

const pointedErrors = new WeakSet<Error>();

/** Makes an error point at `place`, once, and leaves the frames of this package out of its stack. */
export function pointErrorAt(error: Error, place: Place, name: string): void {
  if (pointedErrors.has(error)) return;
  pointedErrors.add(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const start = stack.search(/\n {4}at /);
  const [head, frames] = start === -1 ? [stack, []] : [stack.slice(0, start), stack.slice(start + 1).split('\n')];
  const others = frames.filter((frame) => !isOwnFrame(frame));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
