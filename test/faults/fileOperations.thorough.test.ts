// Lets every file operation of a run fail once, and then lets all later operations fail too: every file is complete, and no run passes.
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

/** RECIPEWRIGHT_RUNS sets the number of tried operations. */
const tries = runCount(30).numRuns ?? 30;
const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
const recipe = recipeOf({
  first: { action: 'command', cmd: 'seq 1 20000', next: 'keep' },
  keep: { action: 'index_artifacts', artifacts: ['notes/a.log', 'notes/deep/b.log'], next: 'again' },
  again: { action: 'index_artifacts', artifacts: ['notes/a.log'], next: 'last' },
  last: { action: 'assert_file', path: 'notes/a.log', contains: 'hello', next: 'done' },
});

type FaultyRun = { result: RunResult; dir: string; seen: readonly string[] };

async function runWith(root: string, fault: Fault): Promise<FaultyRun> {
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

/** Checks that an existing file is complete. */
function expectComplete(dir: string, name: string): void {
  const text = readFileSync(join(dir, name), 'utf8');
  if (/(^|\/)\.recipewright[^/]*$/.test(name)) return;
  if (name.endsWith('.json')) JSON.parse(text);
  else if (name === 'logs/first.stdout.log') expect(text).toBe(numbers);
  else if (name.startsWith('notes/')) expect(text).toBe(name.includes('deep') ? 'world' : 'hello');
  else if (name === 'journal.jsonl') checkJournal(text);
  else if (name === 'review.html') expect(text).toMatch(/^<!doctype html>.*<\/html>\s*$/is);
  else expect(`${name} is a file that no run writes`).toBe('');
}

// Only the last line may be incomplete: a line that could not be removed again after a failed write.
function checkJournal(text: string): void {
  const texts = text.split('\n');
  const { lines, problem } = readJournal(text.endsWith('\n') || text === '' ? texts.slice(0, -1) : texts);
  if (problem !== undefined) expect(lines).toHaveLength(texts.length - 1);
}

describe('a file operation that fails', () => {
  test.for([
    ['once', false],
    ['with all later ones', true],
  ] as const)(
    'F30 a file operation that fails %s leaves only complete files, and no run passes',
    { timeout: timeoutMs },
    async ([, persists]) => {
      const root = project();
      // The first run loads all modules, because none may be loaded while the fake is active.
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
        for (const { path } of files) expectComplete(dir, path);
        const { verdict } = existsSync(dir) ? verifyPackage(dir) : { verdict: 'unknown' };
        // Only a failed closeSync of a directory handle loses nothing, so the run may pass.
        if (result.exitCode === 0) expect([where, seen[at - 1], verdict]).toEqual([where, 'closeSync', 'pass']);
        else expect([where, result.exitCode]).toEqual([where, 3]);
        if (result.ran && result.exitCode !== 0) expect([where, verdict]).toEqual([where, 'unknown']);
        if (!persists) expect([where, files.filter(({ path }) => /partial|reserve/.test(path))]).toEqual([where, []]);
      }
    },
  );
});
