// The file that called into this package: a config has no other way to say where it lies.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first file on the stack that is neither beside this one nor beside `ownUrl`, where the other parts of the package lie. */
export function findCallerFile(ownUrl: string): string | undefined {
  const before = Error.prepareStackTrace;
  try {
    Error.prepareStackTrace = (_, frames) => frames;
    const frames = (new Error('where from').stack ?? []) as unknown as NodeJS.CallSite[];
    const files = frames.map((frame) => toPath(frame.getFileName() ?? frame.getEvalOrigin() ?? ''));
    const own = [ownUrl, import.meta.url].map((url) => dirname(toPath(url)));
    return files.find((file) => file !== '' && !own.includes(dirname(file)));
  } finally {
    Error.prepareStackTrace = before;
  }
}

function toPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name.startsWith('node:') ? '' : name;
}
