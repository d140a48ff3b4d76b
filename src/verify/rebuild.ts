// Makes the package anew from its recipe and its journal, and holds every byte against what lies in the directory.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { assemble, reviewFile } from '../evidence/assemble.js';
import type { Built, PackageParts } from '../evidence/package.js';
import type { PackageSink } from '../evidence/packageSink.js';
import { tool } from '../evidence/tool.js';
import { openReview } from '../pages/review/reviewPage.js';
import { createDigestWriter } from '../system/files/atomicFile.js';
import { openFileComparison } from '../system/files/fileDigest.js';
import { readBytes } from '../system/files/files.js';
import { readBounded } from '../system/files/readBounded.js';
import { listedIn } from './listedIn.js';
import { partsIn } from './partsIn.js';
import type { Survey } from './surveyJournal.js';

export function rebuild(dir: string, survey: Survey): Built & { findings: Finding[] } {
  const { run, file } = survey;
  const differing = new Map<string, number>();
  const version = run?.tool.version ?? tool.version;
  const review = reviewIn(dir, version);
  const built = assemble({ ...partsIn(dir, survey), review }, comparing(dir, differing));
  const findings = [...differing].map(([path, offset]) => altered(dir, path, offset));
  return { ...built, findings: version === tool.version ? findings : [otherVersion(file, version), ...findings] };
}

// Each version draws the page in its own way, so that of another one is held against its digest only.
function reviewIn(dir: string, version: string): PackageParts['review'] {
  if (!listedIn(dir)?.some(({ path }) => path === reviewFile)) return undefined;
  if (version === tool.version) return openReview;
  return () => ({ see: () => undefined, page: () => readBytes(join(dir, reviewFile)) });
}

function comparing(dir: string, differing: Map<string, number>): PackageSink {
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

function altered(dir: string, path: string, offset: number): Finding {
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

function otherVersion(file: string, version: string): Finding {
  return {
    ...{ code: 'package.other_version', severity: 'warning', path: '/tool/version', place: { file, line: 1, column: 1 } },
    message: `The package was written by recipewright ${version}; this is ${tool.version}, which may tell the same run in other words and cannot hold its review.html against it.`,
    hint: `If a file is said to be altered, ask recipewright ${version} as well.`,
  };
}
