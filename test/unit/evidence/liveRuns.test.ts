// Live journals have their lines in order, do not affect the runs, and are removed at the end.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LiveRuns } from '../../../src/evidence/liveRuns.js';
import { writeSuiteIndex } from '../../../src/evidence/suiteIndex.js';
import { directory } from './packages.js';

const line = (seq: number): string => `{"v":1,"seq":${seq},"t":"begin"}`;
const recipe = (): Buffer => Buffer.from('{"title":"A"}');
const journalIn = (dir: string, name = 'recipes/a'): string => readFileSync(join(dir, '.live', name, 'journal.jsonl'), 'utf8');

function addLines(dir: string, ...seqs: readonly number[]): LiveRuns {
  const runs = new LiveRuns(dir);
  for (const seq of seqs) runs.addLine('recipes/a', line(seq), recipe);
  return runs;
}

describe('live journals', () => {
  test('the lines of a live journal are written in order, even if they arrive in another order', () => {
    const dir = directory();
    addLines(dir, 0, 2, 1, 4);
    expect(journalIn(dir)).toBe([0, 1, 2].map((seq) => `${line(seq)}\n`).join(''));
    expect(readFileSync(join(dir, '.live/recipes/a/recipe.json'), 'utf8')).toBe('{"title":"A"}');
  });

  test('the live journals of a killed run are removed when the next suite ends, but not files of other programs', () => {
    const dir = directory();
    addLines(dir, 0, 1);
    writeSuiteIndex(dir, [{ name: 'recipes/a' }]);
    expect(existsSync(join(dir, '.live'))).toBe(false);
    mkdirSync(join(dir, '.live'));
    writeFileSync(join(dir, '.live/mine.txt'), 'mine');
    writeSuiteIndex(dir, [{ name: 'recipes/a' }]);
    expect(readdirSync(join(dir, '.live'))).toEqual(['mine.txt']);
  });

  test('a live journal begins again with each attempt, and is removed at the end', () => {
    const dir = directory();
    const runs = addLines(dir, 0, 1, 0);
    expect(journalIn(dir)).toBe(`${line(0)}\n`);
    runs.end('recipes/a');
    expect(existsSync(join(dir, '.live/recipes/a'))).toBe(false);
    runs.endAll();
    expect(readdirSync(dir)).toEqual([]);
  });

  test('a live journal that is linked grows with the original', () => {
    const dir = directory();
    writeFileSync(join(dir, 'journal'), `${line(0)}\n`);
    const runs = new LiveRuns(join(dir, 'out'));
    runs.linkJournal('recipes/a', join(dir, 'journal'), recipe());
    writeFileSync(join(dir, 'journal'), `${line(1)}\n`, { flag: 'a' });
    expect(journalIn(join(dir, 'out'))).toBe(`${line(0)}\n${line(1)}\n`);
    runs.endAll();
    expect(readFileSync(join(dir, 'journal'), 'utf8')).toContain(line(1));
  });

  test('the live journals of a killed run are replaced by those of the next run', () => {
    const dir = directory();
    addLines(dir, 0, 1);
    const next = new LiveRuns(dir);
    next.addLine('recipes/b', line(0), recipe);
    expect(existsSync(join(dir, '.live/recipes/a'))).toBe(false);
    expect(journalIn(dir, 'recipes/b')).toBe(`${line(0)}\n`);
  });

  test('live journals do not change files of other programs, and are never written outside their folder', () => {
    const dir = directory();
    mkdirSync(join(dir, '.live'));
    writeFileSync(join(dir, '.live/notes.txt'), 'mine');
    const runs = addLines(dir, 0, 1);
    runs.endAll();
    expect(readdirSync(join(dir, '.live'))).toEqual(['notes.txt']);
    const out = join(directory(), 'out');
    const others = new LiveRuns(out);
    others.addLine('../../x', line(0), recipe);
    others.end('..');
    others.end('');
    expect(readdirSync(join(out, '..'))).toEqual(['out']);
    expect(readdirSync(out)).toEqual(['.live']);
  });

  test('live journals that cannot be written do not disturb the run', () => {
    const dir = directory();
    writeFileSync(join(dir, 'out'), 'a file');
    const runs = addLines(join(dir, 'out'), 0, 1);
    runs.linkJournal('recipes/b', join(dir, 'none'), undefined);
    runs.endAll();
    expect(readFileSync(join(dir, 'out'), 'utf8')).toBe('a file');
  });
});
