// Directories for a program that we start. They are removed with the program, or with this process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class TemporaryDirectory {
  readonly path: string;
  private readonly dirs: Set<string>;

  constructor(use = 'browser') {
    this.path = mkdtempSync(join(tmpdir(), `recipewright-${use}-`));
    this.dirs = new Set([this.path]);
    process.once('exit', this.remove);
  }

  /** Adds a directory that other code made for the program. */
  add(dir: string): void {
    this.dirs.add(dir);
  }

  /** Removes the directories after the listeners of "exit" that were added meanwhile: one of them ends the program, which then stops writing. */
  removeAfterOthers(): void {
    process.off('exit', this.remove);
    process.once('exit', this.remove);
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    for (const dir of this.dirs) removeTree(dir);
  };
}

// The children of a killed program may go on writing for a moment.
function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // ENOTEMPTY, EBUSY: a process still writes. The system cleans its temporary directory by itself.
  }
}
