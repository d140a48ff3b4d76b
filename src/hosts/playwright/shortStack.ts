// Playwright takes the place of a call from the stack, and looks for every frame of it in the source maps of the test files.
import { fileURLToPath } from 'node:url';
import type { Place } from '../../document/finding.js';
import { ownScript } from '../../system/ownScript.js';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));
const library = /[\\/]node_modules[\\/]playwright(-core)?[\\/]/;

/** Of a call that is made from here, Playwright is shown its own last frame and `place`, or the frame that made the call. */
export function withShortStack<T>(call: () => T, place?: Place): T {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (error, frames) => {
    const asked = askedFrom(frames, place);
    if (asked) return `${error}\n    at ${asked.join('\n    at ')}`;
    return prepareStackTrace ? prepareStackTrace(error, frames) : [error, ...frames].join('\n    at ');
  };
  try {
    return call();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Nothing when it is no question of Playwright's, or somebody else made the call. */
function askedFrom(frames: readonly NodeJS.CallSite[], place: Place | undefined): unknown[] | undefined {
  const index = frames.findIndex((frame) => !library.test(frame.getFileName() ?? ''));
  if (index <= 0 || !isOwn(frames[index]?.getFileName() ?? '')) return undefined;
  return [frames[index - 1], place ? `recipe (${place.file}:${place.line}:${place.column})` : frames[index]];
}

/** A file of ours, or a frame that stands in one. */
export function isOwn(text: string): boolean {
  return text.includes(ownFolder) || text.includes(ownScript);
}
