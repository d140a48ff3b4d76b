// The page of a run that goes on, from as much of its journal as there is.
import { join } from 'node:path';
import { liveFolder } from '../../evidence/liveRuns.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import { digestOnly } from '../../evidence/packageSink.js';
import type { Proof } from '../../evidence/verdict.js';
import { assemblePackage, type PackageReview } from '../../evidence/writePackage.js';
import { openReview } from '../../pages/review/reviewPage.js';
import { digestFile } from '../../system/files/fileDigest.js';
import { isRealPathInside, readPathKind, resolveInside } from '../../system/files/files.js';
import { listTree } from '../../system/files/listTree.js';
import { readLines } from '../../system/files/readLines.js';
import { readJson } from '../../verify/readPackageParts.js';

export function renderLivePage(dir: string): string {
  let [page, running] = ['', 0];
  const review = (recipe: unknown): PackageReview => {
    const { see, page: draw } = openReview(recipe);
    return {
      see(entry) {
        if (entry.unfinished) running++;
        see(entry.unfinished ? asRunning(entry) : entry);
      },
      page({ summary: { reason, failed, proof, ...fields }, ...facts }) {
        const summary = { ...fields, status: 'unknown' as const, reason: reasonSoFar(reason), failed: failed - running };
        page = draw({ summary: { ...summary, proof: proof.map(withoutProof) }, ...facts });
        return page;
      },
    };
  };
  const journal = readLines(join(dir, 'journal.jsonl'));
  const artifact = (path: string): ReturnType<typeof digestFile> => digestFile(resolveInside(dir, path) ?? '');
  assemblePackage(
    { id: '', recipe: readJson(join(dir, 'recipe.json')), journal, inPlace: true, artifact, review },
    { open: digestOnly },
  );
  return page;
}

// A journal that ends there says of a dead run that it did not finish; this one is at it.
function asRunning({ unfinished: _, error: _why, cause_class: _cause, ...entry }: TraceEntryJson): TraceEntryJson {
  return { ...entry, ok: true, running: true };
}

/** Only a package proves something, and there is none: what is whole and what follows from it is looked at when it is written. */
function withoutProof(claim: Proof): Proof {
  return claim.status === 'proven' ? { ...claim, status: 'unproven', reason: 'its package is not there yet' } : claim;
}

// What a journal without an end says of a run that is over, this run may still get beyond.
function reasonSoFar(reason: string): string {
  return `It has no end yet: ${reason.replace(/^interrupted at /, 'it is at ')}`;
}

// Where the runs of a suite lie while they go on: the hosts keep their journals in a folder of their own until the package is there.

/** The directory of a run that goes on; undefined for one that does not. */
export function liveRunDir(root: string, name: string): string | undefined {
  const dir = name === '' ? undefined : resolveInside(root, `${liveFolder}/${name}`);
  if (dir === undefined || readPathKind(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  return isRealPathInside(root, join(dir, 'journal.jsonl')) ? dir : undefined;
}

/** The packages that are going to be there, by their names. */
export function listLiveRuns(root: string): string[] {
  const folder = join(root, liveFolder);
  if (readPathKind(folder) !== 'directory') return [];
  try {
    const names = listTree(folder).flatMap(({ path }) => /^(.+)\/journal\.jsonl$/.exec(path)?.[1] ?? []);
    return names.filter((name) => liveRunDir(root, name) !== undefined);
  } catch {
    // ENOENT: a run was over while we looked.
    return [];
  }
}
