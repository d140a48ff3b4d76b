import { describe, expect, test } from 'vitest';
import { openJournal, readJournal } from '../../../src/evidence/journal.js';
import { clockOf } from '../../support/clock.js';

function writeJournal(): string[] {
  const lines: string[] = [];
  const journal = openJournal(clockOf(), (line) => lines.push(line));
  journal.write({ t: 'begin', path: 'a', visit: 1, attempt: 0, action: 'command' });
  journal.write({ t: 'end', path: 'a', visit: 1, attempt: 0, ms: 1, ok: true, output: { text: 'é\u2028' } });
  journal.write({ t: 'begin', path: 'b', visit: 1, attempt: 0, action: 'command' });
  return lines;
}

describe('a journal', () => {
  test('a journal is read back in the order in which it was written', () => {
    const { lines, problem } = readJournal(writeJournal());
    expect(problem).toBeUndefined();
    expect(lines.map(({ t, path }) => `${t} ${path}`)).toEqual(['begin a', 'end a', 'begin b']);
  });

  test.for([
    ['a changed line', (lines: string[]) => lines.with(1, lines[1]?.replace('"ok":true', '"ok":false') ?? ''), 3],
    ['a missing line', (lines: string[]) => lines.toSpliced(1, 1), 2],
    ['a line twice', (lines: string[]) => lines.toSpliced(1, 0, lines[1] ?? ''), 3],
    ['two lines in the wrong order', (lines: string[]) => [lines[0] ?? '', lines[2] ?? '', lines[1] ?? ''], 2],
    ['an incomplete last line', (lines: string[]) => lines.with(2, lines[2]?.slice(0, 20) ?? ''), 3],
    ['a missing first line', (lines: string[]) => lines.slice(1), 1],
  ] as const)('a journal with %s is read up to there, and the problem names the line', ([, change, at]) => {
    const { lines, problem } = readJournal(change(writeJournal()));
    expect(problem).toContain(`journal line ${at} `);
    expect(lines).toHaveLength(at - 1);
  });

  test('a journal counts a line only after it was stored safely', () => {
    const storedLines: string[] = [];
    let isFull = false;
    const journal = openJournal(clockOf(), (line) => {
      if (isFull) throw new Error('disk full');
      storedLines.push(line);
    });
    const begin = (path: string) => journal.write({ t: 'begin', path, visit: 1, attempt: 0, action: 'command' });
    begin('a');
    isFull = true;
    expect(() => begin('b')).toThrow('disk full');
    isFull = false;
    begin('c');
    expect(readJournal(storedLines)).toMatchObject({ lines: [{ path: 'a' }, { path: 'c' }] });
    expect(journal.currentVerdict().interruptedAt).toEqual(['a', 'c']);
  });
});
