// The journal of a run: one line before and one line after each node, chained by hash. Workers also send these lines to reporters.

import type { Clock } from '../system/clock.js';
import { sha256 } from '../system/files/files.js';
import { type Artifact, type BeginLine, type EndLine, type JournalLine, lineModel, type RunLine } from './models/journalLine.js';
import { type Verdict, VerdictBuilder } from './verdict.js';

/** Evidence that an action captured. The package stores `body` at `path`. */
export type Capture = Omit<Artifact, 'sha256' | 'size' | 'nodeId'> & { body: Uint8Array };

export type {
  Artifact,
  Assert,
  BeginLine,
  EndLine,
  FailOnUnexpected,
  InputOrigin,
  JournalLine,
  RunLine,
} from './models/journalLine.js';
export { lineModel };

type Unstamped<L> = Omit<L, 'v' | 'seq' | 'at' | 'prev'>;
export type JournalEntry = Unstamped<RunLine> | Unstamped<BeginLine> | Unstamped<EndLine>;

export type Journal = {
  write(entry: JournalEntry): string;
  /** Returns the verdict on the lines so far. `closing` replaces the line that ends the run, before that line is written. */
  currentVerdict(closing?: Unstamped<EndLine>): Verdict;
};

/** `append` must store the line safely before it returns. The journal keeps no lines in memory, only counts. */
export function openJournal(clock: Clock, append: (line: string) => void): Journal {
  const judge = new VerdictBuilder();
  let seq = 0;
  let prev = '';
  return {
    write(entry) {
      // Strings are concatenated, because copying the entry to add four fields would double the time of a line.
      const line = `{"v":1,"seq":${seq},${JSON.stringify(entry).slice(1, -1)},"at":"${clock.wall()}","prev":"${prev}"}`;
      append(line);
      const stamped = entry as JournalLine;
      stamped.seq = seq;
      judge.readLine(stamped);
      seq++;
      prev = sha256(line);
      return line;
    },
    currentVerdict: (closing) => judge.currentVerdict(closing),
  };
}

export type ReadJournal = { lines: JournalLine[]; problem?: string };

/** Reads all lines into memory, for short journals. */
export function readJournal(texts: Iterable<string>): ReadJournal {
  const lines: JournalLine[] = [];
  const { problem } = followJournal(texts, (line) => lines.push(line));
  return problem === undefined ? { lines } : { lines, problem };
}

/** Reads lines while the chain is intact, and reports where it breaks. A killed process can leave an incomplete last line. */
export function followJournal(texts: Iterable<string>, onLine: (line: JournalLine) => void): { lines: number; problem?: string } {
  let seq = 0;
  let prev = '';
  for (const text of texts) {
    const line = parseLine(text);
    if (!line) return { lines: seq, problem: `journal line ${seq + 1} is not valid` };
    if (line.seq !== seq || line.prev !== prev)
      return { lines: seq, problem: `journal line ${seq + 1} does not follow the line before it` };
    onLine(line);
    seq++;
    prev = sha256(text);
  }
  return { lines: seq };
}

function parseLine(text: string): JournalLine | undefined {
  try {
    return lineModel.safeParse(JSON.parse(text)).data;
  } catch {
    // SyntaxError: the line is incomplete.
    return undefined;
  }
}
