// Explains errors of file operations.

/** Whether a system call threw it. Any other error is a bug. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown;
}

/** Without the path, for which the caller has a better name. */
export function describeSystemError({ code = '', message }: NodeJS.ErrnoException): string {
  const why = reasons.get(code);
  return why === undefined ? message : `${why} (${code})`;
}

/** What to do next, in one sentence. */
export function adviseOnSystemError({ code = '' }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Free some space, or name a directory on another disk.';
  if (code === 'EMFILE' || code === 'ENFILE') return 'Allow more open files (ulimit -n), and run again.';
  return `Name a new directory in a place that this user${userId()} can write to.`;
}

// A container often runs as a uid without a name.
function userId(): string {
  return process.getuid === undefined ? '' : ` (uid ${process.getuid()})`;
}

const reasons = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota of this user is used up'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['ENOENT', 'it is a link that leads nowhere, or was removed meanwhile'],
  ['ENOTDIR', 'there is a file or a link where a directory is needed'],
  ['ELOOP', 'there is a link where none may be'],
  ['EEXIST', 'there is something in its place already'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['EIO', 'the disk failed'],
]);
