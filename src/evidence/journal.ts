// The journal: one line before and one after each node, chained by hash. It is also the wire format from a worker to a reporter.
import { type Accepts, acceptsBy } from '../formats/classic/accepts.js';
import type { Clock } from '../system/clock.js';
import { sha256 } from '../system/files/files.js';
import {
  type Artifact,
  type BeginLine,
  type EndLine,
  type JournalLine,
  lineModel,
  lineModels,
  type RunLine,
} from './models/journalLine.js';
import { Judge, type Verdict } from './verdict.js';

/** Evidence an action made, to be kept in the package under `path`. */

export type Capture = Omit<Artifact, 'sha256' | 'size' | 'nodeId'> & { body: Uint8Array };

export type {
  Artifact,
  Assert,
  BeginLine,
  EndLine,
  FailOnUnexpected,
  InputOrigin,
  JournalLine,
  LoggedIssue,
  RunLine,
} from './models/journalLine.js';
export { lineModel };

type Unstamped<L> = Omit<L, 'v' | 'seq' | 'at' | 'prev'>;
export type JournalEntry = Unstamped<RunLine> | Unstamped<BeginLine> | Unstamped<EndLine>;

export type Journal = {
  write(entry: JournalEntry): string;
  /** What the lines so far prove; `closing` is taken for the line that ends the run. */
  currentVerdict(closing?: Unstamped<EndLine>): Verdict;
};

/** `append` must have the line safe before it returns. Nothing but counts is kept of what was written. */
export function openJournal(clock: Clock, append: (line: string) => void): Journal {
  const judge = new Judge();
  let seq = 0;
  let prev = '';
  return {
    write(entry) {
      // Put together by hand: a copy of the entry with four fields more would cost as much as the rest.
      const line = `{"v":1,"seq":${seq},${JSON.stringify(entry).slice(1, -1)},"at":"${clock.wall()}","prev":"${prev}"}`;
      append(line);
      const seen = entry as JournalLine;
      seen.seq = seq;
      judge.readLine(seen);
      seq++;
      prev = sha256(line);
      return line;
    },
    currentVerdict: (closing) => judge.currentVerdict(closing),
  };
}

export type ReadJournal = { lines: JournalLine[]; problem?: string };

/** All lines at once, for journals that are known to be short. */
export function readJournal(texts: Iterable<string>): ReadJournal {
  const lines: JournalLine[] = [];
  const { problem } = followJournal(texts, (line) => lines.push(line));
  return problem === undefined ? { lines } : { lines, problem };
}

/** Reads as far as the chain holds and says where it breaks. A torn last line is what a killed process leaves. */
export function followJournal(texts: Iterable<string>, onLine: (line: JournalLine) => void): { lines: number; problem?: string } {
  let seq = 0;
  let prev = '';
  for (const text of texts) {
    const line = parseLine(text);
    if (!line) return { lines: seq, problem: `journal line ${seq + 1} is not a journal line` };
    if (line.seq !== seq || line.prev !== prev)
      return { lines: seq, problem: `journal line ${seq + 1} does not follow the one before it` };
    onLine(line);
    seq++;
    prev = sha256(text);
  }
  return { lines: seq };
}

const lineChecks = new Map<unknown, Accepts>(Object.entries(lineModels).map(([t, model]) => [t, acceptsBy(model)]));

// Most lines are good: the model itself is asked only about the others.
function parseLine(text: string): JournalLine | undefined {
  try {
    const value = JSON.parse(text) as JournalLine | null;
    return lineChecks.get(value?.t)?.(value) ? (value as JournalLine) : lineModel.safeParse(value).data;
  } catch {
    // SyntaxError: the line was cut.
    return undefined;
  }
}
