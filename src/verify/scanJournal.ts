// Scans the journal of a package once: its verdict, its path, and the place where its chain breaks.

import { followJournal } from '../evidence/journal.js';
import type { EndLine, RunLine } from '../evidence/models/journalLine.js';
import { PathRecorder } from '../evidence/replayJournal.js';
import { type Verdict, VerdictBuilder } from '../evidence/verdict.js';
import { readPathKind } from '../system/files/files.js';
import { readLines } from '../system/files/readLines.js';

export type JournalScan = {
  file: string;
  exists: boolean;
  run?: RunLine | undefined;
  closing?: EndLine | undefined;
  verdict: Verdict;
  recorder: PathRecorder;
  /** Where the chain breaks: the number of intact lines before, and the problem. */
  broken?: { line: number; problem: string };
  /** The chain breaks in the last line, which a killed process can leave incomplete. */
  isTorn: boolean;
};

export function scanJournal(file: string): JournalScan {
  const judge = new VerdictBuilder();
  const recorder = new PathRecorder();
  const exists = readPathKind(file) === 'file';
  if (!exists) return { file, exists, verdict: judge.currentVerdict(), recorder, isTorn: false };
  const { lines, problem } = followJournal(readLines(file), (line) => {
    judge.readLine(line);
    recorder.readLine(line);
  });
  const { run, closing } = judge;
  const scan = { file, exists, run, closing, verdict: judge.currentVerdict(), recorder };
  if (problem === undefined) return { ...scan, isTorn: false };
  return { ...scan, broken: { line: lines, problem }, isTorn: isLastLine(file, lines) };
}

function isLastLine(file: string, index: number): boolean {
  let count = 0;
  for (const _ of readLines(file)) if (++count > index + 1) return false;
  return true;
}
