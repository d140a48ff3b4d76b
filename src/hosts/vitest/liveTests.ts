// Links the journals of running recipes from the cache, where workers write them, to the output directory, where `review --watch` reads them.
import { join } from 'node:path';
import type { TestCase } from 'vitest/node';
import { LiveRuns } from '../../evidence/liveRuns.js';
import { readPathKind } from '../../system/files/files.js';
import type { DeclaredIdentity } from '../shared/declaredTests.js';
import { protocolTypes } from './reporterProtocol.js';
import { attemptDir, readDocumentBytes } from './runDir.js';
import { identityOf } from './testPackages.js';

export class LiveTests {
  private readonly runs: LiveRuns;
  private readonly dirs = new Map<string, string>();

  constructor(
    outputDir: string,
    private readonly nameFor: (identity: DeclaredIdentity, test: TestCase) => string,
  ) {
    this.runs = new LiveRuns(outputDir);
  }

  /** Links the journal of a test when an annotation of a node shows that the journal exists. */
  noteNode(test: TestCase, type: string): void {
    const identity = type === protocolTypes.node ? identityOf(test) : undefined;
    if (!identity) return;
    const name = this.nameFor(identity, test);
    const dir = currentAttemptDir(test.id);
    if (dir === undefined || this.dirs.get(name) === dir) return;
    this.dirs.set(name, dir);
    this.runs.end(name);
    this.runs.linkJournal(name, join(dir, 'journal.jsonl'), readDocumentBytes(dir, 'recipe.json'));
  }

  endTest(name: string): void {
    this.runs.end(name);
  }

  endAll(): void {
    this.runs.endAll();
    this.dirs.clear();
  }
}

/** Returns the directory of the last attempt, which is the running one. */
function currentAttemptDir(testId: string): string | undefined {
  let last: string | undefined;
  for (let attempt = 0; ; attempt++) {
    const dir = attemptDir(testId, attempt);
    if (readPathKind(join(dir, 'journal.jsonl')) !== 'file') return last;
    last = dir;
  }
}
