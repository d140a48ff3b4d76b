// The directory of one run: claimed and tested before the first action, and held until the package is written.
import { join } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodes } from '../../evidence/exitCodes.js';
import { type DirectoryHandle, openDirectory, writeNewFile } from '../../system/files/dirHandle.js';
import { releaseReserve, reserveDiskSpace, tryReleaseReserve } from '../../system/files/diskReserve.js';
import { type LineFile, openLineFile } from '../../system/files/lineFile.js';
import { claimRunDirectory, releaseRunDirectory } from '../../system/files/ownDirectory.js';
import { adviseOnSystemError, describeSystemError, isSystemError } from '../../system/files/systemErrors.js';
import { createFileFinding } from '../shared/refusedRun.js';

export type ArtifactsDir = {
  /** The path that the caller gave, for messages. */
  name: string;
  /** The path for file operations while the directory is held. On Linux it stays valid when the directory is renamed. */
  path: string;
  journal: LineFile;
  /** Writes a file of evidence, under a path that must not exist. */
  keep(path: string, bytes: Uint8Array): void;
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

/** The finding for a directory that the machine refused to work with. */
export function unusableDirFinding(name: string, refusal: NodeJS.ErrnoException): Finding {
  const message = `The artifacts directory ${name} cannot be used: ${describeSystemError(refusal)}.`;
  return createFileFinding(name, 'run.directory_unusable', message, adviseOnSystemError(refusal));
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
  const message = `The artifacts directory ${name} was moved away or replaced while the run wrote to it. What lies there now is not its evidence.`;
  return createFileFinding(name, 'run.directory_replaced', message, 'Run again, with a directory that nothing else touches.');
}

function notEmptyFinding(name: string, holder: 'another run' | 'others'): Finding {
  const hint = 'Choose a new or empty directory: a package belongs to one run.';
  const owner = holder === 'others' ? '' : ' It belongs to another run of recipewright.';
  return createFileFinding(name, 'run.directory_not_empty', `The artifacts directory ${name} is not empty.${owner}`, hint);
}

function prepareDirectory(name: string, isNew: boolean): ArtifactsDir {
  let held: DirectoryHandle | undefined;
  try {
    held = openDirectory(name);
    reserveDiskSpace(held.path);
    return toArtifactsDir(name, held, openLineFile(join(held.path, 'journal.jsonl')));
  } catch (thrown) {
    held?.release();
    tryReleaseReserve(name);
    releaseRunDirectory(name, isNew);
    throw thrown;
  }
}

function toArtifactsDir(name: string, held: DirectoryHandle, journal: LineFile): ArtifactsDir {
  return {
    name,
    path: held.path,
    journal,
    keep(path, bytes) {
      if (/^\.recipewright/i.test(path)) throw new Error(`The path ${path} is reserved for recipewright. Choose another name.`);
      try {
        writeNewFile(held, path, bytes);
      } catch (thrown) {
        if (!isSystemError(thrown)) throw thrown;
        const message = `${join(name, path)} could not be written: ${describeSystemError(thrown)}. ${adviseOnSystemError(thrown)}`;
        throw new Error(message, { cause: thrown });
      }
    },
    freeReserve: () => releaseReserve(held.path),
    dropReserve: () => tryReleaseReserve(held.path),
    isInPlace: () => held.isAt(name),
    release: () => held.release(),
  };
}
