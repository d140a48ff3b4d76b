// The file that called into this package: a config has no other way to say where it lies.
import { fileURLToPath } from 'node:url';

export function callerFile(ownUrl: string): string | undefined {
  const before = Error.prepareStackTrace;
  try {
    Error.prepareStackTrace = (_, frames) => frames;
    const frames = (new Error('where from').stack ?? []) as unknown as NodeJS.CallSite[];
    const files = frames.map((frame) => toPath(frame.getFileName() ?? frame.getEvalOrigin() ?? ''));
    const own = toPath(ownUrl);
    const here = files.findLastIndex((file, index) => file === own && files.slice(0, index).every((earlier) => earlier === own));
    return files.slice(here + 1).find((file) => file !== '' && file !== own);
  } finally {
    Error.prepareStackTrace = before;
  }
}

function toPath(name: string): string {
  return name.startsWith('file:') ? fileURLToPath(name) : name.startsWith('node:') ? '' : name;
}
