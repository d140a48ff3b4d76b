// Makes the package anew from its recipe and its journal, and holds every byte against what lies in the directory.
import { join } from 'node:path';
import { createPlan } from '../check/checkFile.js';
import { readDocumentFile } from '../check/readDocumentFile.js';
import type { Finding } from '../document/finding.js';
import { digestOf } from '../evidence/digest.js';
import { reviewFile } from '../evidence/packageFiles.js';
import type { PackageSink } from '../evidence/packageSink.js';
import { tool } from '../evidence/runIdentity.js';
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

export function rebuildPackage(dir: string, survey: JournalScan): WrittenPackage & { findings: Finding[] } {
  const { run, file } = survey;
  const differing = new Map<string, number>();
  const version = run?.tool.version ?? tool.version;
  const review = reviewForVersion(dir, version);
  const built = assemblePackage({ ...readPackageParts(dir, survey), review }, comparingSink(dir, differing));
  const findings = [...differing].map(([path, offset]) => alteredFinding(dir, path, offset));
  return { ...built, findings: version === tool.version ? findings : [otherVersionFinding(file, version), ...findings] };
}

// Each version draws the page in its own way, so that of another one is held against its digest only.
function reviewForVersion(dir: string, version: string): PackageParts['review'] {
  if (!readManifestFiles(dir)?.some(({ path }) => path === reviewFile)) return undefined;
  if (version === tool.version) return openReview;
  return () => ({ see: () => undefined, page: () => readBytes(join(dir, reviewFile)) });
}

function comparingSink(dir: string, differing: Map<string, number>): PackageSink {
  return {
    open(path) {
      const comparison = openFileComparison(join(dir, path));
      const gathered = createDigestWriter(comparison.write);
      const close = (): ReturnType<typeof gathered.end> => {
        const digest = gathered.end();
        const offset = comparison.end();
        if (offset !== undefined) differing.set(path, offset);
        return digest;
      };
      return { write: gathered.write, close, discard: () => void comparison.end() };
    },
  };
}

function alteredFinding(dir: string, path: string, offset: number): Finding {
  const file = join(dir, path);
  const read = readBounded(file, 64_000_000);
  const before = 'bytes' in read ? read.bytes.subarray(0, offset).toString().split('\n') : [''];
  return {
    ...{ code: 'package.altered_file', severity: 'error', path: '' },
    place: { file, line: before.length, column: (before.at(-1) ?? '').length + 1 },
    message: `${JSON.stringify(path)} is not what follows from the recipe and the journal beside it: it parts at byte ${offset}.`,
    hint: 'It was changed after the run, or belongs to another one: take all files from the same run.',
  };
}

function otherVersionFinding(file: string, version: string): Finding {
  return {
    ...{ code: 'package.other_version', severity: 'warning', path: '/tool/version', place: { file, line: 1, column: 1 } },
    message: `The package was written by recipewright ${version}; this is ${tool.version}, which may tell the same run in other words and cannot hold its review.html against it.`,
    hint: `If a file is said to be altered, ask recipewright ${version} as well.`,
  };
}

// Whether the recipe of a package could have taken the path that its journal records.

/** The run had its own limits, which the journal does not tell; whether it kept to them is not the question here. */
const noLimits = {
  visitsPerNode: Number.POSITIVE_INFINITY,
  stepsPerRun: Number.POSITIVE_INFINITY,
  callDepth: Number.POSITIVE_INFINITY,
};

const readLimits = { bytes: 256_000_000, stringBytes: 64_000_000 };

export function checkReplay(dir: string, { run, recorder, file: journal }: JournalScan, vocabulary = knownActions): Finding[] {
  const file = join(dir, 'recipe.json');
  // A test that died before its recipe began leaves neither.
  if (!run || readPathKind(file) === undefined) return [];
  const { document, findings } = readDocumentFile(file, readLimits);
  if (!document) return findings;
  if (digestOf(document.value) !== run.recipe.digest) return [otherRecipeFinding(file)];
  const { compiled } = recipeV1.compile(document, () => ({ problem: 'it is not part of the package.' }));
  if (!compiled) return [notARecipeFinding(file)];
  const plan = createPlan(compiled, vocabulary, noLimits);
  if ('code' in plan) return [plan];
  const differs = recorder.findDifference(plan);
  return differs === undefined ? [] : [impossiblePathFinding(journal, differs)];
}

function otherRecipeFinding(file: string): Finding {
  return {
    ...{ code: 'package.recipe_mismatch', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'recipe.json is not the recipe that ran: the journal names another digest.',
    hint: 'The files of a package belong to one run: take all of them from the same run.',
  };
}

function notARecipeFinding(file: string): Finding {
  return {
    ...{ code: 'package.recipe_mismatch', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'recipe.json is no Recipe v1 document, so the journal cannot be held against it.',
    hint: 'Take recipe.json from the run again: it holds the document that was executed, whatever was authored.',
  };
}

function impossiblePathFinding(file: string, differs: string): Finding {
  return {
    ...{ code: 'package.impossible_path', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: `The journal tells a run that the recipe cannot have taken: ${differs}.`,
    hint: 'The journal is of another recipe or was made up: take both from the same run.',
  };
}
