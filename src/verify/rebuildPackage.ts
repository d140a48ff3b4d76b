// Rebuilds a package from its recipe and its journal, and compares every byte with the files in the directory.

import { join } from 'node:path';
import { createPlan } from '../check/createPlan.js';
import { readDocumentFile } from '../check/readDocumentFile.js';
import type { Finding } from '../document/finding.js';
import { digestOf } from '../evidence/digest.js';
import { reviewFile } from '../evidence/packageFiles.js';
import type { PackageSink } from '../evidence/packageSink.js';
import { fileFinding } from '../evidence/readPackageDocuments.js';
import { toolInfo } from '../evidence/runIdentity.js';
import { assemblePackage, type PackageParts, type WrittenPackage } from '../evidence/writePackage.js';
import { recipeV1 } from '../formats/classic/compile.js';
import { openReview } from '../pages/review/reviewPage.js';
import { knownActions } from '../registry/registry.js';
import { createDigestWriter } from '../system/files/atomicFile.js';
import { openFileComparison } from '../system/files/fileDigest.js';
import { readBytes, readPathKind } from '../system/files/files.js';
import { readBounded } from '../system/files/readBounded.js';
import { readManifestFiles, readPackageParts } from './readPackageParts.js';
import type { JournalScan } from './scanJournal.js';

export function rebuildPackage(dir: string, scan: JournalScan): WrittenPackage & { findings: Finding[] } {
  const { run, file } = scan;
  const firstDifferences = new Map<string, number>();
  const version = run?.tool.version ?? toolInfo.version;
  const review = reviewForVersion(dir, version);
  const rebuilt = assemblePackage({ ...readPackageParts(dir, scan), review }, comparingSink(dir, firstDifferences));
  const findings = [...firstDifferences].map(([path, offset]) => alteredFinding(dir, path, offset));
  return { ...rebuilt, findings: version === toolInfo.version ? findings : [otherVersionFinding(file, version), ...findings] };
}

// Another version of recipewright renders the review page differently, so only the digest of its page is checked.
function reviewForVersion(dir: string, version: string): PackageParts['review'] {
  if (!readManifestFiles(dir)?.some(({ path }) => path === reviewFile)) return undefined;
  if (version === toolInfo.version) return openReview;
  return () => ({ addEntry: () => undefined, renderPage: () => readBytes(join(dir, reviewFile)) });
}

/** Compares the files instead of writing them. `firstDifferences` gets the offset of the first different byte of each file. */
function comparingSink(dir: string, firstDifferences: Map<string, number>): PackageSink {
  return {
    open(path) {
      const comparison = openFileComparison(join(dir, path));
      const writer = createDigestWriter(comparison.write);
      const close = (): ReturnType<typeof writer.end> => {
        const digest = writer.end();
        const offset = comparison.end();
        if (offset !== undefined) firstDifferences.set(path, offset);
        return digest;
      };
      return { write: writer.write, close, discard: () => void comparison.end() };
    },
  };
}

function alteredFinding(dir: string, path: string, offset: number): Finding {
  const file = join(dir, path);
  const read = readBounded(file, 64_000_000);
  const lines = 'bytes' in read ? read.bytes.subarray(0, offset).toString().split('\n') : [''];
  const message = `${JSON.stringify(path)} does not follow from the recipe and the journal of the package. The first difference is at byte ${offset}.`;
  const hint = 'The file was changed after the run, or belongs to another run. Copy all files from the same run.';
  const place = { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  return { ...fileFinding(file, 'package.altered_file', { message, hint }), place };
}

function otherVersionFinding(file: string, version: string): Finding {
  const message = `recipewright ${version} wrote this package. Version ${toolInfo.version} may word the reasons of the run differently, and checks review.html by its digest only.`;
  const hint = `If a file is reported as altered, verify the package with recipewright ${version} too.`;
  return { ...fileFinding(file, 'package.other_version', { message, hint, severity: 'warning' }), path: '/tool/version' };
}

/** The journal does not have the limits of the run, so they cannot be checked. */
const noLimits = {
  visitsPerNode: Number.POSITIVE_INFINITY,
  stepsPerRun: Number.POSITIVE_INFINITY,
  callDepth: Number.POSITIVE_INFINITY,
};

const readLimits = { bytes: 256_000_000, stringBytes: 64_000_000 };

/** Reports a journal with a path that is impossible in the recipe of the package. */
export function checkReplay(dir: string, { run, recorder, file: journal }: JournalScan, vocabulary = knownActions): Finding[] {
  const file = join(dir, 'recipe.json');
  // A test that died before its recipe began wrote neither a run line nor a recipe.
  if (!run || readPathKind(file) === undefined) return [];
  const { document, findings } = readDocumentFile(file, readLimits);
  if (!document) return findings;
  if (digestOf(document.value) !== run.recipe.digest) return [otherRecipeFinding(file)];
  const { compiled } = recipeV1.compile(document, () => ({ problem: 'it is not in the package.' }));
  if (!compiled) return [notARecipeFinding(file)];
  const plan = createPlan(compiled, vocabulary, noLimits);
  if ('code' in plan) return [plan];
  const difference = recorder.findDifference(plan);
  return difference === undefined ? [] : [impossiblePathFinding(journal, difference)];
}

function otherRecipeFinding(file: string): Finding {
  const message = 'recipe.json is not the recipe that ran: its digest differs from the one in the journal.';
  const hint = 'The files of a package belong to one run. Copy all of them from the same run.';
  return fileFinding(file, 'package.recipe_mismatch', { message, hint });
}

function notARecipeFinding(file: string): Finding {
  const message = 'recipe.json is not a Recipe v1 document, so the journal cannot be compared with it.';
  const hint = 'Copy recipe.json from the run again. A run writes a Recipe v1 document there, whatever the format of the recipe.';
  return fileFinding(file, 'package.recipe_mismatch', { message, hint });
}

function impossiblePathFinding(file: string, difference: string): Finding {
  const message = `The journal records a path that is impossible in the recipe: ${difference}.`;
  const hint = 'The journal belongs to another recipe, or was forged. Copy the recipe and the journal from the same run.';
  return fileFinding(file, 'package.impossible_path', { message, hint });
}
