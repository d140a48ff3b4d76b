// Reads facts about the machine for the doctor: programs, permissions, disk space and other runs.
import { accessSync, constants, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { readPathKind } from './files/files.js';
import { listProcesses, type RunningProcess, tagEnv } from './processes/processTable.js';

/** Finds a program by its name in PATH. */
export function findProgram(name: string, env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean);
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isProgram);
}

/** Like `findProgram`, but `name` may also be a path, relative to `dir`. */
export function findProgramFrom(
  name: string,
  dir: string,
  env?: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (!/[\\/]/.test(name)) return findProgram(name, env);
  const file = resolve(dir, name);
  return isProgram(file) ? file : undefined;
}

export function isProgram(file: string): boolean {
  return readPathKind(file) === 'file' && catchErrorCode(() => accessSync(file, constants.X_OK)) === undefined;
}

/** Returns why this user may not write to a directory, which need not exist yet. Checks permissions only. */
export function explainNotWritable(dir: string): string | undefined {
  const existing = findNearestExisting(resolve(dir));
  if (readPathKind(existing) !== 'directory') return `${existing} is not a directory`;
  const code = catchErrorCode(() => accessSync(existing, constants.W_OK | constants.X_OK));
  return code === undefined ? undefined : `${existing} does not allow it (${code})`;
}

/** Returns why a file cannot be written to a directory. Writes a file, because permissions say nothing about a full or failing disk. */
export function probeWritable(dir: string): string | undefined {
  const probe = join(dir, `recipewright-doctor-${process.pid}`);
  const code = catchErrorCode(() => {
    writeFileSync(probe, 'A test file of recipewright doctor.\n', { flag: 'wx' });
    rmSync(probe);
  });
  return code === undefined ? undefined : `${dir} cannot be written to (${code})`;
}

/** Returns the free space on the disk of a directory, or undefined when the system does not provide the number. */
export function freeBytes(dir: string): number | undefined {
  let free: number | undefined;
  catchErrorCode(() => {
    const { bavail, bsize } = statfsSync(findNearestExisting(resolve(dir)));
    free = bavail * bsize;
  });
  return free;
}

/** Lists the processes of other runs whose working directory is `dir` or below `dir`. */
export function listOtherRunsIn(dir: string): string[] {
  // Processes of our own run have the tags of the runs around this process.
  const own = Object.values(tagEnv('')).flatMap((tags) => tags.split(' '));
  const isOther = ({ tags }: RunningProcess): boolean => tags.some((tag) => !own.includes(tag));
  const below = (path: string): boolean => path === dir || path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
  return listProcesses()
    .filter((one) => isOther(one) && below(readWorkingDirectory(one.pid)))
    .map(({ name, pid }) => `${name} (pid ${pid})`);
}

function readWorkingDirectory(pid: number): string {
  let dir = '';
  // ENOENT: the process has just ended. EACCES: the process belongs to another user.
  catchErrorCode(() => {
    dir = readlinkSync(`/proc/${pid}/cwd`);
  });
  return dir;
}

function findNearestExisting(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (readPathKind(at) !== undefined || at === dirname(at)) return at;
  }
}

function catchErrorCode(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code ?? String(thrown);
  }
}
