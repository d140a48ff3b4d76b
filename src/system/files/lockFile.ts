// A lock between processes. A process that dies leaves no lock behind that others would wait for.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** `since`: when the process started, if the system says so. Another process may have its pid by now. */
type LockHolder = { pid: number; since?: string | undefined; token: string };

/** Returns the function that releases the lock; undefined when a living process holds it. */
export function acquireLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const own: LockHolder = { pid: process.pid, since: readStartTime(process.pid), token: randomUUID() };
  const release = (): void => rmSync(file, { force: true });
  for (let tried = 0; tried < 2; tried++) {
    if (placeLock(file, own, linkIfFree)) return release;
    const holder = readHolder(file);
    // The holder released it just now.
    if (!holder) continue;
    return isHolderAlive(holder) || !replaceDeadHolder(file, holder, own) ? undefined : release;
  }
  return undefined;
}

export function isLocked(file: string): boolean {
  const holder = readHolder(file);
  return holder !== undefined && isHolderAlive(holder);
}

// Several processes may see that the holder died. Only one of them may take over, and only if the lock is still the dead holder's.
function replaceDeadHolder(file: string, dead: LockHolder, own: LockHolder): boolean {
  const release = acquireLock(`${file}.${dead.token}`);
  if (!release) return false;
  try {
    return readHolder(file)?.token === dead.token && placeLock(file, own, renameOver);
  } finally {
    release();
  }
}

/** Puts the lock in place with its content in one step, so that no process reads an empty lock. */
function placeLock(file: string, own: LockHolder, putInPlace: (made: string, file: string) => boolean): boolean {
  const made = `${file}.${own.token}.new`;
  try {
    // On a full disk, this may leave an empty file, which is removed below.
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
    // SyntaxError, TypeError: another program wrote it.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadableHolder;
  }
}

function isHolderAlive({ pid, since }: LockHolder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it lives, and belongs to another user. ESRCH: it died.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
  return since === undefined || readStartTime(pid) === since;
}

// The 22nd field. The program's name before it may hold spaces and parentheses.
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
