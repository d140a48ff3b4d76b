// A simple implementation of the trace that keeps all entries in memory, and rewrites them when their parent ends. Tests compare the real
// trace with it.
import type { BeginLine, EndLine, JournalLine } from '../../src/evidence/journal.js';
import { abandonedEntry, finishedEntry, toleratedEntry, unfinishedEntry } from '../../src/evidence/trace.js';

type Entry = ReturnType<typeof finishedEntry>;

export function slowTrace(lines: readonly JournalLine[]): Entry[] {
  const begun = new Map<string, BeginLine>();
  const earlier = new Map<string, Entry[]>();
  let entries: Entry[] = [];
  for (const line of lines) {
    if (line.t === 'begin') begun.set(line.path, line);
    const begin = line.t === 'end' ? begun.get(line.path) : undefined;
    if (line.t !== 'end' || !begin) continue;
    begun.delete(line.path);
    const inside = ({ nodeId }: Entry): boolean => nodeId.startsWith(`${line.path}/`);
    if (line.retried) {
      const inner = entries.filter((entry) => inside(entry) && !isRecovery(entry, begin));
      entries = entries.filter((entry) => !inner.includes(entry));
      const attempt = finishedEntry(begin, line as EndLine);
      const attempts = earlier.get(visitOf(line)) ?? [];
      earlier.set(visitOf(line), [...attempts, inner.length > 0 ? { ...attempt, entries: inner } : attempt]);
      continue;
    }
    for (const [visit, attempts] of earlier) {
      if (!visit.startsWith(`${line.path}/`)) continue;
      entries.push(abandonedEntry(attempts));
      earlier.delete(visit);
    }
    if (line.tolerated) entries = entries.map((entry) => (inside(entry) ? toleratedEntry(entry) : entry));
    entries.push({ ...finishedEntry(begin, line), nodeId: visitOf(line), ...attemptsOf(earlier, visitOf(line)) });
  }
  for (const begin of begun.values())
    entries.push({
      ...unfinishedEntry(begin, lines.at(-1)?.at ?? '', undefined),
      nodeId: visitOf(begin),
      ...attemptsOf(earlier, visitOf(begin)),
    });
  for (const attempts of earlier.values()) entries.push(abandonedEntry(attempts));
  return entries;
}

function isRecovery({ nodeId }: Entry, { path }: BeginLine): boolean {
  return nodeId === `${path}/recover`;
}

function visitOf({ path }: BeginLine | EndLine): string {
  return path.replace(/@\d+$/, '');
}

function attemptsOf(earlier: Map<string, Entry[]>, visit: string): { attempts?: Entry[] } {
  const attempts = earlier.get(visit);
  earlier.delete(visit);
  return attempts ? { attempts } : {};
}
