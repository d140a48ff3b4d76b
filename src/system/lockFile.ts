// A lock between processes: of several that want it at once exactly one gets it, and one that died holds nobody up.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Undefined when another process that lives holds it; else what gives it back. */
export function takeLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  for (let tried = 0; tried < 2; tried++) {
    const handle = openNew(file);
    if (handle !== undefined) {
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return () => rmSync(file, { force: true });
    }
    if (holderLives(file)) return undefined;
    rmSync(file, { force: true });
  }
  return undefined;
}

function openNew(file: string): number | undefined {
  try {
    return openSync(file, 'wx');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  }
}

// One that has not written its number yet has only just taken it.
function holderLives(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid === 0 || process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it lives and is somebody else's. ENOENT: it was given back just now. ESRCH: its holder died.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
