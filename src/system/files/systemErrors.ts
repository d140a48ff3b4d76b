// Explains errors of file operations.

/** Whether a system call threw the error. Any other error is a bug. */
export function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown;
}

/** Returns a clause such as "the disk is full (ENOSPC)". The caller adds the path, and for the next step `adviseOnSystemError()`. */
export function describeSystemError({ code = '', message }: NodeJS.ErrnoException): string {
  const why = reasons.get(code);
  return why === undefined ? message : `${why} (${code})`;
}

/** Returns what to do next, in one sentence. */
export function adviseOnSystemError({ code = '' }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Free some space, or choose a directory on another disk.';
  if (code === 'EMFILE' || code === 'ENFILE') return 'Allow more open files (ulimit -n), and run again.';
  return `Choose a new directory that this user${describeUser()} can write to.`;
}

// A container often runs as a uid without a name.
function describeUser(): string {
  return process.getuid === undefined ? '' : ` (uid ${process.getuid()})`;
}

const reasons = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota of this user is used up'],
  ['EROFS', 'the file system is read-only'],
  ['EACCES', 'this user may not write there'],
  ['EPERM', 'this user may not write there'],
  ['ENOENT', 'the path is a link to a missing file, or was removed meanwhile'],
  ['ENOTDIR', 'there is a file or a link where a directory is needed'],
  ['ELOOP', 'there is a link where links are not allowed'],
  ['EEXIST', 'there is already a file or a link with this name'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['EIO', 'the disk failed'],
]);
