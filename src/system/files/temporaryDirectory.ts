// Directories that a program we start fills: gone when it is, or with this process.
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

  /** A directory that the program was given by somebody else. */
  add(dir: string): void {
    this.dirs.add(dir);
  }

  /** Whoever ends the program when this process ends was there later; what it ended cannot write any more. */
  removeAfterOthers(): void {
    process.off('exit', this.remove);
    process.once('exit', this.remove);
  }

  readonly remove = (): void => {
    process.off('exit', this.remove);
    for (const dir of this.dirs) removeTree(dir);
  };
}

// What is left of a program that was killed may still write for a moment.
function removeTree(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  } catch {
    // ENOTEMPTY, EBUSY: it still writes. The system empties its own directory for such things.
  }
}
