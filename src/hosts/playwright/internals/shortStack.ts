// Makes page calls and errors point at their node in the document. Playwright takes the place of a call from the stack (decisions/023).
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright-core/src/client/clientStackTrace.ts (captureLibraryStackTrace)
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/transform/transform.ts (wrapFunctionWithLocation)
// If Playwright takes places from elsewhere, its reports show calls at the first frame of this package.
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
 * Runs `call` with a stack of two frames: the last frame of Playwright, and `place`, or without a place the frame that made the call.
 * Other stacks that are captured meanwhile keep their frames, but show `place` instead of the first frame of this package.
 */
export function withShortStack<T>(call: () => T, place?: Place): T {
  const { prepareStackTrace } = Error;
  const placeFrame = place && `    at recipe (${place.file}:${place.line}:${place.column})`;
  Error.prepareStackTrace = (error, frames) => {
    const shortStack = shortenStack(frames, placeFrame);
    if (shortStack !== undefined) return `${error}\n${shortStack}`;
    const fullStack = prepareStackTrace ? prepareStackTrace(error, frames) : [error, ...frames].join('\n    at ');
    return placeFrame === undefined || typeof fullStack !== 'string' ? fullStack : replaceOwnFrame(placeFrame, fullStack);
  };
  try {
    return call();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Returns undefined unless Playwright captures the stack for a call of this package. */
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

/** Evaluates an expression as if its source were at `place`, so that its calls are reported from there. `head` goes on the line before. */
export function compileAt<T>(place: Place, head: string, expression: string): T {
  const source = `${head}\n${' '.repeat(place.column - 1)}${expression}`;
  return runInThisContext(source, { filename: place.file, lineOffset: place.line - 2 }) as T;
}

const resolvedPromise = Promise.resolve();

/** Returns a function that calls methods so that Playwright reports the calls at `place`. A microtask makes the calls, because its stack is short. */
export function createCallAt(place: Place): Call {
  const call = (target: Record<PropertyKey, Method>, method: PropertyKey, ...args: unknown[]): Promise<unknown> =>
    resolvedPromise.then(() => withShortStack(() => Reflect.apply(target[method] as Method, target, args), place));
  return call as unknown as Call;
}

type Method = (...args: unknown[]) => unknown;

const pointedErrors = new WeakSet<Error>();

/** Puts `place` on top of the stack of an error, once, and removes the frames of this package. */
export function pointErrorAt(error: Error, place: Place, name: string): void {
  if (pointedErrors.has(error)) return;
  pointedErrors.add(error);
  const stack = error.stack ?? `${error.name}: ${error.message}`;
  const start = stack.search(/\n {4}at /);
  const [head, frames] = start === -1 ? [stack, []] : [stack.slice(0, start), stack.slice(start + 1).split('\n')];
  const others = frames.filter((frame) => !isOwnFrame(frame));
  error.stack = [head, `    at ${name} (${place.file}:${place.line}:${place.column})`, ...others].join('\n');
}
