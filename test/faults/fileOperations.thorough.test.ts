// Every file operation of a run fails once, and once for good: what lies there is the old or the new, never half, and nothing is green.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../../src/evidence/journal.js';
import { type RunResult, runRecipe } from '../../src/hosts/plain/runRecipe.js';
import { listTree } from '../../src/system/files/listTree.js';
import { verifyPackage } from '../../src/verify/verifyPackage.js';
import { runCount, timeoutMs } from '../property/runCount.js';
import { recipeOf } from '../support/plain.js';
import { type Fault, failFiles } from './failingFiles.js';
import { folder } from './mounts.js';

/** All of them with RECIPEWRIGHT_RUNS. */
const tries = runCount(30).numRuns ?? 30;
const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
const recipe = recipeOf({
  first: { action: 'command', cmd: 'seq 1 20000', next: 'keep' },
  keep: { action: 'index_artifacts', artifacts: ['notes/a.log', 'notes/deep/b.log'], next: 'again' },
  again: { action: 'index_artifacts', artifacts: ['notes/a.log'], next: 'last' },
  last: { action: 'assert_file', path: 'notes/a.log', contains: 'hello', next: 'done' },
});

type Tried = { result: RunResult; dir: string; seen: readonly string[] };

async function runWith(root: string, fault: Fault): Promise<Tried> {
  const dir = join(root, `out-${fault.at}-${fault.persists}`);
  const { seen, end } = failFiles(dir, fault);
  try {
    return { result: await runRecipe(recipe, { artifactsDir: dir, projectRoot: root }), dir, seen };
  } finally {
    end();
  }
}

function project(): string {
  const root = folder();
  mkdirSync(join(root, 'notes/deep'), { recursive: true });
  writeFileSync(join(root, 'notes/a.log'), 'hello');
  writeFileSync(join(root, 'notes/deep/b.log'), 'world');
  return root;
}

/** What each kind of file must be if it is there at all. */
function checkWhole(dir: string, name: string): void {
  const text = readFileSync(join(dir, name), 'utf8');
  if (/(^|\/)\.recipewright[^/]*$/.test(name)) return;
  if (name.endsWith('.json')) JSON.parse(text);
  else if (name === 'logs/first.stdout.log') expect(text).toBe(numbers);
  else if (name.startsWith('notes/')) expect(text).toBe(name.includes('deep') ? 'world' : 'hello');
  else if (name === 'journal.jsonl') checkJournal(text);
  else if (name === 'review.html') expect(text).toMatch(/^<!doctype html>.*<\/html>\s*$/is);
  else expect(`${name} is a file that no run writes`).toBe('');
}

// A line that could not be taken back again is the last one.
function checkJournal(text: string): void {
  const texts = text.split('\n');
  const { lines, problem } = readJournal(text.endsWith('\n') || text === '' ? texts.slice(0, -1) : texts);
  if (problem !== undefined) expect(lines).toHaveLength(texts.length - 1);
}

describe('a file operation that fails', () => {
  test.for([
    ['once', false],
    ['and all that follow', true],
  ] as const)('F30 %s leaves nothing half written and no run green', { timeout: timeoutMs }, async ([, persists]) => {
    const root = project();
    // What is loaded late must not be loaded while the fake is in place.
    await runWith(root, { at: 0, persists: true });
    const { result: sound, seen: all } = await runWith(root, { at: 0, persists: false });
    expect(sound).toMatchObject({ exitCode: 0, summary: { status: 'pass' } });
    const total = all.length;
    expect(total).toBeGreaterThan(100);
    const step = Math.max(1, Math.floor(total / tries));
    for (let at = 1; at <= total; at += step) {
      const { result, dir, seen } = await runWith(root, { at, persists });
      const where = `operation ${at} (${seen[at - 1]})`;
      const files = existsSync(dir) ? listTree(dir).filter(({ kind }) => kind === 'file') : [];
      for (const { path } of files) checkWhole(dir, path);
      const { verdict } = existsSync(dir) ? verifyPackage(dir) : { verdict: 'unknown' };
      // Nothing is lost when a directory that was only held cannot be let go.
      if (result.exitCode === 0) expect([where, seen[at - 1], verdict]).toEqual([where, 'closeSync', 'pass']);
      else expect([where, result.exitCode]).toEqual([where, 3]);
      if (result.ran && result.exitCode !== 0) expect([where, verdict]).toEqual([where, 'unknown']);
      if (!persists) expect([where, files.filter(({ path }) => /partial|reserve/.test(path))]).toEqual([where, []]);
    }
  });
});
