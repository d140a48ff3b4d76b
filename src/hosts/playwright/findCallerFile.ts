// Finds the file that called into this package, because a config does not know its own path.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the first file on the stack that is neither in the folder of this module nor in the folder of `ownUrl`. */
export function findCallerFile(ownUrl: string): string | undefined {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_, frames) => frames;
    const frames = (new Error().stack ?? []) as unknown as NodeJS.CallSite[];
    const files = frames.map((frame) => toPath(frame.getFileName() ?? frame.getEvalOrigin() ?? ''));
    const own = [ownUrl, import.meta.url].map((url) => dirname(toPath(url)));
    return files.find((file) => file !== '' && !own.includes(dirname(file)));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

function toPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name.startsWith('node:') ? '' : name;
}
