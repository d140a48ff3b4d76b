// Copies the journals of running recipes to a folder of the output directory, where the live review reads them until the runs end.

import { join } from 'node:path';
import {
  claimDirectory,
  linkFile,
  openLineFile,
  removeIfReplaceable,
  removePartOfReplaceable,
  resolveInside,
  writeShortLivedFile,
} from '../system/files/files.js';
import type { LineFile } from '../system/files/lineFile.js';

export const liveFolder = '.live';

type LiveRun = { file?: LineFile; nextSeq: number; pending: Map<number, string> };

/** Problems with the copies neither delay nor fail a run: the live review then shows nothing of that run. */
export class LiveRuns {
  private readonly runs = new Map<string, LiveRun>();
  private readonly folder: string;
  private isClaimed = false;

  constructor(outputDir: string) {
    this.folder = join(outputDir, liveFolder);
  }

  /** Adds a line of a journal. Lines may arrive out of order, since parallel nodes begin and end at the same time. */
  addLine(name: string, line: string, recipe: () => Uint8Array | undefined): void {
    const seq = Number(/^\{"v":1,"seq":(\d+),/.exec(line)?.[1] ?? Number.NaN);
    if (seq === 0) this.begin(name, recipe());
    const run = this.runs.get(name);
    if (!run?.file) return;
    run.pending.set(seq, line);
    ignoreErrors(() => appendPending(run));
  }

  /** Links a journal that already is a file. New lines of the journal then appear under both names. */
  linkJournal(name: string, journal: string, recipe: Uint8Array | undefined): void {
    this.runs.set(name, { nextSeq: 0, pending: new Map() });
    ignoreErrors(() => linkFile(journal, join(this.claimRunDir(name, recipe), 'journal.jsonl')));
  }

  end(name: string): void {
    const run = this.runs.get(name);
    this.runs.delete(name);
    ignoreErrors(() => run?.file?.close());
    if (this.isClaimed) ignoreErrors(() => removePartOfReplaceable(this.folder, name));
  }

  endAll(): void {
    for (const name of this.runs.keys()) this.end(name);
    if (this.isClaimed) ignoreErrors(() => removeIfReplaceable(this.folder));
    this.isClaimed = false;
  }

  private begin(name: string, recipe: Uint8Array | undefined): void {
    this.end(name);
    const run: LiveRun = { nextSeq: 0, pending: new Map() };
    this.runs.set(name, run);
    ignoreErrors(() => {
      run.file = openLineFile(join(this.claimRunDir(name, recipe), 'journal.jsonl'));
    });
  }

  // Claiming the folder removes the copies that a killed run left there.
  private claimRunDir(name: string, recipe: Uint8Array | undefined): string {
    if (!this.isClaimed) claimDirectory(this.folder);
    this.isClaimed = true;
    const dir = resolveInside(this.folder, name);
    if (dir === undefined) throw new Error(`The run ${name} is outside the folder ${this.folder}.`);
    writeShortLivedFile(join(dir, 'recipe.json'), recipe ?? Buffer.from('null'));
    return dir;
  }
}

function appendPending(run: LiveRun): void {
  for (let line = run.pending.get(run.nextSeq); line !== undefined; line = run.pending.get(run.nextSeq)) {
    run.pending.delete(run.nextSeq);
    run.nextSeq++;
    run.file?.append(line);
  }
}

function ignoreErrors(writeCopy: () => void): void {
  try {
    writeCopy();
  } catch {
    // ENOSPC, EROFS, EACCES, EXDEV, or the folder belongs to another program. Only the live review needs the copies. If the disk is
    // broken, writing the package of the run reports the error.
  }
}
