// A lock between processes: of several that want it at once at most one gets it, and one that died holds nobody up.
import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Who holds it. `since`: when that process began, where the system tells; its number may be another one's by now. */
type Holder = { pid: number; since?: string | undefined; token: string };

/** Undefined when another process that lives holds it; else what gives it back. */
export function takeLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const own: Holder = { pid: process.pid, since: beginOf(process.pid), token: randomUUID() };
  const giveBack = (): void => rmSync(file, { force: true });
  for (let tried = 0; tried < 2; tried++) {
    if (place(file, own, linkNew)) return giveBack;
    const holder = holderOf(file);
    // It was given back just now.
    if (!holder) continue;
    return lives(holder) || !replace(file, holder, own) ? undefined : giveBack;
  }
  return undefined;
}

export function isLocked(file: string): boolean {
  const holder = holderOf(file);
  return holder !== undefined && lives(holder);
}

// Several may see that its holder died. Only one of them may put itself into that one's place, and only as long as it is there.
function replace(file: string, dead: Holder, own: Holder): boolean {
  const giveBack = takeLock(`${file}.${dead.token}`);
  if (!giveBack) return false;
  try {
    return holderOf(file)?.token === dead.token && place(file, own, renameOver);
  } finally {
    giveBack();
  }
}

/** In one step, with all that it says: nobody ever sees a lock that does not tell whose it is. */
function place(file: string, own: Holder, put: (made: string, file: string) => boolean): boolean {
  const made = `${file}.${own.token}.new`;
  try {
    // On a full disk, an empty file would stay.
    writeFileSync(made, JSON.stringify(own));
    return put(made, file);
  } finally {
    rmSync(made, { force: true });
  }
}

function linkNew(made: string, file: string): boolean {
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

const nobody: Holder = { pid: 0, token: 'unreadable' };

function holderOf(file: string): Holder | undefined {
  try {
    const { pid, since, token } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    const isWhole = Number.isInteger(pid) && typeof token === 'string' && /^[\w-]+$/.test(token);
    return isWhole ? { pid: Number(pid), since, token: String(token) } : nobody;
  } catch (thrown) {
    // SyntaxError, TypeError: somebody else wrote it.
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : nobody;
  }
}

function lives({ pid, since }: Holder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it lives and is somebody else's. ESRCH: it died.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
  return since === undefined || beginOf(pid) === since;
}

// The 22nd field; the name of the program before it may hold anything.
function beginOf(pid: number): string | undefined {
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
