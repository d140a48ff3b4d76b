// Renders the page of a run in progress from the lines that its journal has so far.
import { join } from 'node:path';
import { liveFolder } from '../../evidence/liveRuns.js';
import type { TraceEntryJson } from '../../evidence/models/traceModel.js';
import { digestOnly } from '../../evidence/packageSink.js';
import { readJson } from '../../evidence/readPackageDocuments.js';
import type { Proof } from '../../evidence/verdict.js';
import { assemblePackage, type PackageReview } from '../../evidence/writePackage.js';
import { openReview } from '../../pages/review/reviewPage.js';
import { digestFile } from '../../system/files/fileDigest.js';
import { isRealPathInside, readPathKind, resolveInside } from '../../system/files/files.js';
import { listTree } from '../../system/files/listTree.js';
import { readLines } from '../../system/files/readLines.js';

export function renderLivePage(dir: string): string {
  let page = '';
  let runningCount = 0;
  const review = (recipe: unknown): PackageReview => {
    const { addEntry, renderPage: render } = openReview(recipe);
    return {
      addEntry(entry) {
        if (entry.unfinished) runningCount++;
        addEntry(entry.unfinished ? toRunningEntry(entry) : entry);
      },
      renderPage({ summary: { reason, failed, proof, ...fields }, ...facts }) {
        const summary = {
          ...fields,
          status: 'unknown' as const,
          reason: toLiveReason(reason),
          failed: failed - runningCount,
          proof: proof.map(toLiveClaim),
        };
        page = render({ summary, ...facts });
        return page;
      },
    };
  };
  const journal = readLines(join(dir, 'journal.jsonl'));
  const findArtifact = (path: string): ReturnType<typeof digestFile> => digestFile(resolveInside(dir, path) ?? '');
  assemblePackage(
    { id: '', recipe: readJson(join(dir, 'recipe.json')), journal, inPlace: true, findArtifact, review },
    { open: digestOnly },
  );
  return page;
}

// An entry without an end is unfinished after a run, but still running during the run.
function toRunningEntry({ unfinished: _, error: _why, cause_class: _cause, ...entry }: TraceEntryJson): TraceEntryJson {
  return { ...entry, ok: true, running: true };
}

/** Makes a proven claim unproven, because only a complete package proves a claim. */
function toLiveClaim(claim: Proof): Proof {
  return claim.status === 'proven' ? { ...claim, status: 'unproven', reason: 'its package is not written yet' } : claim;
}

function toLiveReason(reason: string): string {
  return `The run has not ended yet: ${reason.replace(/^interrupted at /, 'it is at ')}`;
}

/**
 * Returns the directory of a live run of a suite, or undefined when the run is not live. Hosts keep the journal of a live run in
 * the folder `.live` until they write the package.
 */
export function liveRunDir(root: string, name: string): string | undefined {
  const dir = name === '' ? undefined : resolveInside(root, `${liveFolder}/${name}`);
  if (dir === undefined || readPathKind(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  return isRealPathInside(root, join(dir, 'journal.jsonl')) ? dir : undefined;
}

/** Lists the names of the packages that live runs will write. */
export function listLiveRuns(root: string): string[] {
  const folder = join(root, liveFolder);
  if (readPathKind(folder) !== 'directory') return [];
  try {
    const names = listTree(folder).flatMap(({ path }) => /^(.+)\/journal\.jsonl$/.exec(path)?.[1] ?? []);
    return names.filter((name) => liveRunDir(root, name) !== undefined);
  } catch {
    // ENOENT: a run has ended since the folder was listed, and the folder of the run was removed.
    return [];
  }
}
