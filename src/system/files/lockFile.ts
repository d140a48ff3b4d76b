// A lock between processes. When the holder of a lock has died, another process can take the lock over.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** `since`: the start time of the process, if the system provides it, because a later process may have the same pid. */
type LockHolder = { pid: number; since?: string | undefined; token: string };

/** Returns a function that releases the lock, or undefined when a living process holds the lock. */
export function acquireLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const own: LockHolder = { pid: process.pid, since: readStartTime(process.pid), token: randomUUID() };
  const release = (): void => rmSync(file, { force: true });
  for (let attempt = 0; attempt < 2; attempt++) {
    if (createLock(file, own, linkIfFree)) return release;
    const holder = readHolder(file);
    // The holder has just released the lock.
    if (!holder) continue;
    return isHolderAlive(holder) || !replaceDeadHolder(file, holder, own) ? undefined : release;
  }
  return undefined;
}

export function isLocked(file: string): boolean {
  const holder = readHolder(file);
  return holder !== undefined && isHolderAlive(holder);
}

// Several processes may find that the holder has died. Only one of them takes the lock over, and only if the dead holder still has the lock.
function replaceDeadHolder(file: string, dead: LockHolder, own: LockHolder): boolean {
  const release = acquireLock(`${file}.${dead.token}`);
  if (!release) return false;
  try {
    return readHolder(file)?.token === dead.token && createLock(file, own, renameOver);
  } finally {
    release();
  }
}

/** Creates the lock together with its content in one step, so that no process reads an empty lock. */
function createLock(file: string, own: LockHolder, moveIntoPlace: (newFile: string, file: string) => boolean): boolean {
  const newFile = `${file}.${own.token}.new`;
  try {
    // On a full disk, this may leave an empty file, which is removed below.
    writeFileSync(newFile, JSON.stringify(own));
    return moveIntoPlace(newFile, file);
  } finally {
    rmSync(newFile, { force: true });
  }
}

function linkIfFree(newFile: string, file: string): boolean {
  try {
    linkSync(newFile, file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

function renameOver(newFile: string, file: string): boolean {
  renameSync(newFile, file);
  return true;
}

const unreadableHolder: LockHolder = { pid: 0, token: 'unreadable' };

function readHolder(file: string): LockHolder | undefined {
  try {
    const { pid, since, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LockHolder>;
    const isComplete = Number.isInteger(pid) && typeof token === 'string' && /^[\w-]+$/.test(token);
    return isComplete ? { pid: Number(pid), since, token: String(token) } : unreadableHolder;
  } catch (thrown) {
    // SyntaxError, TypeError: another program wrote the file.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadableHolder;
  }
}

function isHolderAlive({ pid, since }: LockHolder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: the process is alive, and belongs to another user. ESRCH: the process has ended.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
  return since === undefined || readStartTime(pid) === since;
}

// Reads the 22nd field. The name of the program, which comes before, may contain spaces and parentheses.
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19);
  } catch {
    // ENOENT: the process has ended, or this system has no /proc.
    return undefined;
  }
}
