// Writes the files of a run: its recipe when it begins, its package when it ends, or at least a summary that says why there is no package.
import { join } from 'node:path';
import type { Finding } from '../../document/finding.js';
import { exitCodes } from '../../evidence/failureTable.js';
import type { Journal } from '../../evidence/journal.js';
import { digestOnly, directorySink, writeAllOrDiscard, writeFile } from '../../evidence/packageSink.js';
import { writeJson } from '../../evidence/writeJson.js';
import { assemblePackage, type PackageParts, type Summary, writePackage } from '../../evidence/writePackage.js';
import { collectDocuments } from '../../run/collectDocuments.js';
import { type FileDigest, writeFileAtomically } from '../../system/files/atomicFile.js';
import { digestFile } from '../../system/files/fileDigest.js';
import { removeFile, resolveInside } from '../../system/files/files.js';
import { readLines } from '../../system/files/readLines.js';
import { adviseOnSystemError, describeSystemError, isSystemError } from '../../system/files/systemErrors.js';
import type { IdentifiedRecipe, Rejection } from '../shared/refusedRun.js';
import { type ArtifactsDir, type DirectoryRefusal, takeArtifactsDir, unusableDirFinding } from './artifactsDir.js';

type SystemError = NodeJS.ErrnoException;

export function packagePartsOf({ id, loaded }: IdentifiedRecipe, { path: dir }: ArtifactsDir): PackageParts {
  return {
    ...{ id, recipe: loaded.compiled.recipe.json, journal: readLines(join(dir, 'journal.jsonl')), inPlace: true },
    findArtifact: (path) => digestFile(resolveInside(dir, path) ?? ''),
    documents: collectDocuments(loaded),
  };
}

/** `journalError`: the error that the last line of the journal could not be written for. */
export function finishPackage(dir: ArtifactsDir, parts: PackageParts, journalError?: SystemError): void {
  try {
    dir.journal.close();
    dir.freeReserve();
    if (journalError) throw journalError;
    writePackage(dir.path, parts);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    writeSummaryAlone(dir, parts, thrown);
  }
}

/** Lets `review --watch` show the graph while the recipe runs. */
export function writeRecipeEarly({ path }: ArtifactsDir, recipe: unknown): FileDigest | undefined {
  try {
    return writeAllOrDiscard(directorySink(path), (sink) => writeFile(sink, 'recipe.json', (write) => writeJson(recipe, write)));
  } catch (thrown) {
    // Writing the package fails for the same reason, and reports it.
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}

/** Writes a last line to a journal after a failed write. Returns the error if that line cannot be written either. */
export function endJournal(
  { journal: file, name, freeReserve }: ArtifactsDir,
  journal: Journal,
  ms: number,
): SystemError | undefined {
  const { failure } = file;
  if (failure === undefined) return undefined;
  if (!isSystemError(failure)) throw failure;
  const message = `The journal in ${name} could not be written: ${describeSystemError(failure)}. The run was stopped. ${adviseOnSystemError(failure)}`;
  const error = { code: 'run.journal_not_written', message, cause_class: 'environment' } as const;
  try {
    freeReserve();
    const line = { t: 'end', path: '', visit: 1, attempt: 0, ms: Math.round(ms), ok: false, status: 'unknown', error } as const;
    file.appendAfterFailure(() => journal.write(line));
    return undefined;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return thrown;
  }
}

/** Files that can be rebuilt from the journal. Deleting them frees disk space for the summary. */
const derivedFiles = ['review.html', 'issues.json', 'trace.json', 'workflow.json', 'recipe.json'];

function writeSummaryAlone(dir: ArtifactsDir, parts: PackageParts, error: SystemError): void {
  dir.dropReserve();
  const reason = `The evidence package could not be written to ${dir.name}: ${describeSystemError(error)}. ${adviseOnSystemError(error)}`;
  const { summary } = assemblePackage({ ...parts, review: undefined, hostFailure: reason }, { open: digestOnly });
  const text = `${JSON.stringify(withEnvironmentCause(summary, reason), null, 2)}\n`;
  const file = join(dir.path, 'summary.json');
  for (const derivedFile of derivedFiles) {
    try {
      writeFileAtomically(file, text);
      return;
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      removeFile(join(dir.path, derivedFile));
    }
  }
  writeFileAtomically(file, text);
}

// An earlier failure stays: it matters more than a full disk. An earlier environment error probably has the same cause.
function withEnvironmentCause(summary: Summary, reason: string): Summary {
  const { status, cause_class } = summary;
  if (status === 'fail' || (status === 'unknown' && cause_class === 'environment')) return summary;
  return { ...summary, status: 'unknown', cause_class: 'environment', reason };
}

type RejectionReason = Pick<Rejection, 'documents'> & { findings: readonly Finding[] };

/** Writes the package of a run that did not begin. Returns a refusal when the package could not be written. */
export async function writeRejectedPackage(
  dir: string,
  recipe: IdentifiedRecipe,
  { documents, findings }: RejectionReason,
): Promise<DirectoryRefusal | undefined> {
  const artifactsDir = takeArtifactsDir(dir);
  if ('refused' in artifactsDir) return artifactsDir;
  try {
    const { openReview } = await import('../../pages/review/reviewPage.js');
    const hostFailure = findings.find(({ severity }) => severity === 'error')?.message ?? '';
    const all = new Map([...collectDocuments(recipe.loaded), ...documents]);
    const parts = packagePartsOf(recipe, artifactsDir);
    finishPackage(artifactsDir, { ...parts, documents: all, hostFailure, review: openReview });
    return undefined;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return { refused: unusableDirFinding(dir, thrown), exitCode: exitCodes.environment };
  } finally {
    artifactsDir.release();
  }
}
