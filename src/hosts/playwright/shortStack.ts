// Playwright takes the place of a call from the stack, and looks for every frame of it in the source maps of the test files.
import { fileURLToPath } from 'node:url';
import type { Place } from '../../document/finding.js';
import { ownScript } from '../../system/ownScript.js';

const ownAddress = new URL('.', import.meta.url).href;
const ownFolder = fileURLToPath(ownAddress);
const library = /[\\/]node_modules[\\/]playwright(-core)?[\\/](lib[\\/]|[^\\/]+$)/;

/** Of a call that is made from here, Playwright is shown its own last frame and `place`, or the frame that made the call. */
export function withShortStack<T>(call: () => T, place?: Place): T {
  const { prepareStackTrace } = Error;
  const here = place && `    at recipe (${place.file}:${place.line}:${place.column})`;
  Error.prepareStackTrace = (error, frames) => {
    const short = shortOf(frames, here);
    if (short !== undefined) return `${error}\n${short}`;
    const whole = prepareStackTrace ? prepareStackTrace(error, frames) : [error, ...frames].join('\n    at ');
    return here === undefined || typeof whole !== 'string' ? whole : standingAt(here, whole);
  };
  try {
    return call();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Nothing when it is no question of Playwright's, or somebody else made the call. */
function shortOf(frames: readonly NodeJS.CallSite[], here: string | undefined): string | undefined {
  const index = frames.findIndex((frame) => !isPlaywrights(frame.getFileName() ?? ''));
  if (index <= 0 || !isOwn(frames[index]?.getFileName() ?? '')) return undefined;
  return `    at ${frames[index - 1]}\n${here ?? `    at ${frames[index]}`}`;
}

/** Whoever is called, and by whatever way, was called from the place. */
function standingAt(here: string, stack: string): string {
  const lines = stack.split('\n');
  const own = lines.findIndex((line) => line.startsWith('    at ') && isOwn(line));
  if (own !== -1) lines[own] = here;
  return lines.join('\n');
}

export function isOwnFile(file: string): boolean {
  return file === ownScript || [ownFolder, ownAddress].some((start) => file.startsWith(start));
}

/** A file of ours, or a frame that stands in one. */
export function isOwn(text: string): boolean {
  return text.includes(ownFolder) || text.includes(ownScript);
}

/** A file of Playwright's. */
export function isPlaywrights(file: string): boolean {
  return library.test(file);
}
