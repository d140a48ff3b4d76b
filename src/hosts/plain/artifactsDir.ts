// The artifacts directory of one run. The run claims and tests it before the first action, and holds it until the package is written.
import { join } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodes } from '../../evidence/failureTable.js';
import { type DirectoryHandle, openDirectory, writeNewFile } from '../../system/files/dirHandle.js';
import { releaseReserve, reserveDiskSpace, tryReleaseReserve } from '../../system/files/diskReserve.js';
import { type LineFile, openLineFile } from '../../system/files/lineFile.js';
import { claimRunDirectory, releaseRunDirectory } from '../../system/files/ownDirectory.js';
import { adviseOnSystemError, describeSystemError, isSystemError } from '../../system/files/systemErrors.js';
import { createFileFinding } from '../shared/refusedRun.js';

export type ArtifactsDir = {
  /** The path that the caller gave, for messages. */
  name: string;
  /** The path for file operations while the directory is open. On Linux it stays valid when the directory is renamed. */
  path: string;
  journal: LineFile;
  /** Writes a file of evidence, under a path that must not exist. */
  writeEvidence(path: string, bytes: Uint8Array): void;
  freeReserve(): void;
  /** Frees the reserve after another failure, and ignores errors. */
  dropReserve(): void;
  /** Whether `name` still leads to the directory that this run wrote to. */
  isInPlace(): boolean;
  release(): void;
};

export type DirectoryRefusal = { refused: Finding; exitCode: number };

export function takeArtifactsDir(name: string): ArtifactsDir | DirectoryRefusal {
  try {
    const claim = claimRunDirectory(name);
    if (!claim.isTaken) return { refused: notEmptyFinding(name, claim.belongsTo), exitCode: exitCodes.invalid };
    return prepareDirectory(name, claim.isNew);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return { refused: unusableDirFinding(name, thrown), exitCode: exitCodes.environment };
  }
}

/** Creates the finding for a directory that the operating system does not let the run use. */
export function unusableDirFinding(name: string, error: NodeJS.ErrnoException): Finding {
  const message = `The artifacts directory ${name} cannot be used: ${describeSystemError(error)}.`;
  return createFileFinding(name, 'run.directory_unusable', message, adviseOnSystemError(error));
}

export function unreadablePackageFinding(name: string, thrown: unknown): Finding {
  const message = `The package in ${name} cannot be read back: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return createFileFinding(
    name,
    'run.package_unreadable',
    message,
    'Check the disk, and run the recipe again in a new directory.',
  );
}

export function replacedDirFinding(name: string): Finding {
  const message = `The artifacts directory ${name} was moved or replaced while the run wrote to it. The files that are there now are not evidence of this run.`;
  return createFileFinding(
    name,
    'run.directory_replaced',
    message,
    'Run the recipe again, in a directory that no other program changes.',
  );
}

function notEmptyFinding(name: string, holder: 'another run' | 'others'): Finding {
  const hint = 'Choose a new or empty directory: a package belongs to one run.';
  const owner = holder === 'others' ? '' : ' It belongs to another run of recipewright.';
  return createFileFinding(name, 'run.directory_not_empty', `The artifacts directory ${name} is not empty.${owner}`, hint);
}

function prepareDirectory(name: string, isNew: boolean): ArtifactsDir {
  let handle: DirectoryHandle | undefined;
  try {
    handle = openDirectory(name);
    reserveDiskSpace(handle.path);
    return toArtifactsDir(name, handle, openLineFile(join(handle.path, 'journal.jsonl')));
  } catch (thrown) {
    handle?.release();
    tryReleaseReserve(name);
    releaseRunDirectory(name, isNew);
    throw thrown;
  }
}

function toArtifactsDir(name: string, handle: DirectoryHandle, journal: LineFile): ArtifactsDir {
  return {
    name,
    path: handle.path,
    journal,
    writeEvidence(path, bytes) {
      if (/^\.recipewright/i.test(path)) throw new Error(`The path ${path} is reserved for recipewright. Choose another name.`);
      try {
        writeNewFile(handle, path, bytes);
      } catch (thrown) {
        if (!isSystemError(thrown)) throw thrown;
        const message = `${join(name, path)} could not be written: ${describeSystemError(thrown)}. ${adviseOnSystemError(thrown)}`;
        throw new Error(message, { cause: thrown });
      }
    },
    freeReserve: () => releaseReserve(handle.path),
    dropReserve: () => tryReleaseReserve(handle.path),
    isInPlace: () => handle.isAt(name),
    release: () => handle.release(),
  };
}
