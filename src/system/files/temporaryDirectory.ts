// Temporary directories of a program that recipewright starts. They are removed when the program or this process ends.
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

  /** Adds a directory that other code created for the program. */
  add(dir: string): void {
    this.dirs.add(dir);
  }

  /** Moves the removal behind all other "exit" listeners, because one of them ends the program, which may still write. */
  removeAfterOthers(): void {
    process.off('exit', this.remove);
    process.once('exit', this.remove);
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    for (const dir of this.dirs) removeTree(dir);
  };
}

// The children of a killed program may continue to write for a moment.
function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // ENOTEMPTY, EBUSY: a process still writes. The operating system removes temporary files later.
  }
}
