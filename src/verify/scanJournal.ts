// Reads the journal of a package once, and collects its verdict, its path, and the place where its chain breaks.

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
  /** Where the chain breaks. `line`: the number of intact lines before that place. */
  broken?: { line: number; problem: string };
  /** Whether the chain breaks in the last line, which a killed process can leave incomplete. */
  breaksInLastLine: boolean;
};

export function scanJournal(file: string): JournalScan {
  const judge = new VerdictBuilder();
  const recorder = new PathRecorder();
  const exists = readPathKind(file) === 'file';
  if (!exists) return { file, exists, verdict: judge.currentVerdict(), recorder, breaksInLastLine: false };
  const { lines, problem } = followJournal(readLines(file), (line) => {
    judge.readLine(line);
    recorder.readLine(line);
  });
  const { run, closing } = judge;
  const scan = { file, exists, run, closing, verdict: judge.currentVerdict(), recorder };
  if (problem === undefined) return { ...scan, breaksInLastLine: false };
  return { ...scan, broken: { line: lines, problem }, breaksInLastLine: isLastLine(file, lines) };
}

function isLastLine(file: string, index: number): boolean {
  let count = 0;
  for (const _ of readLines(file)) if (++count > index + 1) return false;
  return true;
}
