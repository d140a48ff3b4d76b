// The journals of recipes that run in workers of Vitest: they lie in the cache, and whoever looks on finds them in the output directory.
import { join } from 'node:path';
import type { TestCase } from 'vitest/node';
import { LiveRuns } from '../../evidence/liveRuns.js';
import { readPathKind } from '../../system/files/files.js';
import type { Identity } from '../shared/declaredTests.js';
import { keptBytes } from './keptDocuments.js';
import { identityOf } from './readTest.js';
import { attemptDir } from './runDir.js';
import { wire } from './wire.js';

export class LiveTests {
  private readonly runs: LiveRuns;
  private readonly dirs = new Map<string, string>();

  constructor(
    outputDir: string,
    private readonly nameFor: (identity: Identity, test: TestCase) => string,
  ) {
    this.runs = new LiveRuns(outputDir);
  }

  /** A node of the test has begun: its journal is there. */
  stepped(test: TestCase, type: string): void {
    const identity = type === wire.node ? identityOf(test) : undefined;
    if (!identity) return;
    const name = this.nameFor(identity, test);
    const dir = lastAttempt(test.id);
    if (dir === undefined || this.dirs.get(name) === dir) return;
    this.dirs.set(name, dir);
    this.runs.end(name);
    this.runs.linkJournal(name, join(dir, 'journal.jsonl'), keptBytes(dir, 'recipe.json'));
  }

  over(name: string): void {
    this.runs.end(name);
  }

  allOver(): void {
    this.runs.endAll();
    this.dirs.clear();
  }
}

/** Of the attempts of a test, the one that writes now. */
function lastAttempt(testId: string): string | undefined {
  let last: string | undefined;
  for (let attempt = 0; ; attempt++) {
    const dir = attemptDir(testId, attempt);
    if (readPathKind(join(dir, 'journal.jsonl')) !== 'file') return last;
    last = dir;
  }
}
