// A lock between processes: of several that want it at once at most one gets it, and one that died holds nobody up.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Who holds it. `since`: when that process began, where the system tells; its number may be another one's by now. */
type LockHolder = { pid: number; since?: string | undefined; token: string };

/** Undefined when another process that lives holds it; else what gives it back. */
export function acquireLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const own: LockHolder = { pid: process.pid, since: readStartTime(process.pid), token: randomUUID() };
  const release = (): void => rmSync(file, { force: true });
  for (let tried = 0; tried < 2; tried++) {
    if (placeLock(file, own, linkIfFree)) return release;
    const holder = readHolder(file);
    // It was given back just now.
    if (!holder) continue;
    return isHolderAlive(holder) || !replaceDeadHolder(file, holder, own) ? undefined : release;
  }
  return undefined;
}

export function isLocked(file: string): boolean {
  const holder = readHolder(file);
  return holder !== undefined && isHolderAlive(holder);
}

// Several may see that its holder died. Only one of them may put itself into that one's place, and only as long as it is there.
function replaceDeadHolder(file: string, dead: LockHolder, own: LockHolder): boolean {
  const release = acquireLock(`${file}.${dead.token}`);
  if (!release) return false;
  try {
    return readHolder(file)?.token === dead.token && placeLock(file, own, renameOver);
  } finally {
    release();
  }
}

/** In one step, with all that it says: nobody ever sees a lock that does not tell whose it is. */
function placeLock(file: string, own: LockHolder, putInPlace: (made: string, file: string) => boolean): boolean {
  const made = `${file}.${own.token}.new`;
  try {
    // On a full disk, an empty file would stay.
    writeFileSync(made, JSON.stringify(own));
    return putInPlace(made, file);
  } finally {
    rmSync(made, { force: true });
  }
}

function linkIfFree(made: string, file: string): boolean {
  try {
    linkSync(made, file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

function renameOver(made: string, file: string): boolean {
  renameSync(made, file);
  return true;
}

const unreadableHolder: LockHolder = { pid: 0, token: 'unreadable' };

function readHolder(file: string): LockHolder | undefined {
  try {
    const { pid, since, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LockHolder>;
    const isWhole = Number.isInteger(pid) && typeof token === 'string' && /^[\w-]+$/.test(token);
    return isWhole ? { pid: Number(pid), since, token: String(token) } : unreadableHolder;
  } catch (thrown) {
    // SyntaxError, TypeError: somebody else wrote it.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadableHolder;
  }
}

function isHolderAlive({ pid, since }: LockHolder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it lives and is somebody else's. ESRCH: it died.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
  return since === undefined || readStartTime(pid) === since;
}

// The 22nd field; the name of the program before it may hold anything.
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19);
  } catch {
    // ENOENT: it is gone, or there is no /proc here.
    return undefined;
  }
}
