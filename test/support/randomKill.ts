// Kills runs at random moments, and checks that their results claim no more than the runs have proven.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suiteResultModel } from '../../src/evidence/models/suiteResultModel.js';
import type { Summary } from '../../src/evidence/summary.js';
import { runCount } from '../property/runCount.js';
import { filesBelow } from './packages.js';
import { hears, recipe, sound } from './recipe.js';
import { setupFile } from './setupFile.js';
import { indexIn } from './staleTree.js';

/**
 * Recipes that pass while word.txt contains "hello", each with a teardown, and one recipe that always passes. Each prints its
 * progress.
 */
export const killFiles = {
  'word.txt': 'hello there',
  'recipes.setup.ts': setupFile(
    {
      'lab.word': "console.log('a node begins'); return { output: { stdout: readFileSync('word.txt', 'utf8') } };",
      'lab.tidy': "console.log('a teardown begins'); return { output: {} };",
    },
    "import { existsSync, readFileSync } from 'node:fs';",
  ),
  ...Object.fromEntries(['AC1', 'AC2', 'AC3'].map((id) => [`recipes/${id}.recipe.json`, changing(id)])),
  'recipes/still.recipe.json': sound('It stays green'),
};

/** A recipe with two assertions of its claim. The first assertion always holds. */
function changing(id: string): object {
  const nodes = {
    speak: { action: 'lab.word' },
    there: hears('speak', 'there', { proofTarget: id }),
    listen: hears('speak', 'hello', { proofTarget: id }),
  };
  return recipe(nodes, { title: `Proves ${id}`, targets: [id], teardown: [{ action: 'lab.tidy' }] });
}

export type Kill = { when: string; afterMs: number; signal: NodeJS.Signals; text: string; option: number };

/** Returns random kills for one test. The same seed gives the same kills. */
export function randomKills(defaultCount: number, moments: readonly string[]): Kill[] {
  const { numRuns = defaultCount, seed = Math.floor(Math.random() * 2 ** 31) } = runCount(defaultCount);
  const random = createRandom(seed);
  return Array.from({ length: numRuns }, (_, index) => {
    // Uses the moments in turn, so that a few kills also cover several moments.
    const when = moments[index % moments.length] ?? '';
    const signal = (['SIGKILL', 'SIGTERM', 'SIGINT'] as const)[Math.floor(random() * 3)] ?? 'SIGKILL';
    const afterMs = Math.floor(random() ** 2 * 1_500);
    const option = random();
    const text = `RECIPEWRIGHT_SEED=${seed}, kill ${index}: ${signal} ${afterMs} ms after ${JSON.stringify(when)}`;
    return { when, afterMs, signal, text, option };
  });
}

// Mulberry32.
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `isComplete`: the run ended without a signal. */
type SummaryFacts = { name: string; run: string | undefined; status: string; proven: string[]; isComplete: boolean };

/** Reads all summaries in the results. */
export function summariesIn(dir: string): SummaryFacts[] {
  const results = join(dir, 'recipe-results');
  return filesBelow(results)
    .filter((file) => file.endsWith('/summary.json'))
    .map((file) => {
      const { run, status, proof } = JSON.parse(readFileSync(join(results, file), 'utf8')) as Summary;
      const proven = proof.filter((claim) => claim.status === 'proven').map(({ id }) => id);
      const name = file.replace(/\/summary\.json$/, '');
      return { name, run, status, proven, isComplete: endedWithoutSignal(join(results, name, 'journal.jsonl')) };
    });
}

/** Whether the run ended without a signal. Then its proofs are valid, even if its test was stopped afterwards. */
function endedWithoutSignal(journal: string): boolean {
  if (!existsSync(journal)) return false;
  const last = readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  // A kill can truncate the last line, which then is no end of a run.
  const { t, path, signal } = (last.endsWith('}') ? JSON.parse(last) : {}) as { t?: string; path?: string; signal?: string };
  return t === 'end' && path === '' && signal === undefined;
}

const alwaysPassing = 'recipes/still';

/**
 * Lists false claims in the results of a run in which only one recipe can pass. `former` are the summaries of the previous,
 * passed run.
 */
export function untrueAfter(dir: string, exitCode: number | null, former: readonly SummaryFacts[]): string[] {
  const untrue: string[] = [];
  const fresh = summariesIn(dir).filter(({ run }) => !former.some((summary) => summary.run === run));
  for (const { name, status, proven } of fresh)
    if (name !== alwaysPassing && (status === 'pass' || proven.length > 0))
      untrue.push(`the package ${name} says ${status}, ${proven}`);
  if (exitCode === 0) untrue.push('the exit code is 0');
  const { recipes, proven, md, html, resolutions, state, totals } = indexIn(dir);
  const problems = suiteResultModel.safeParse(JSON.parse(readFileSync(join(dir, 'recipe-results/suite.json'), 'utf8'))).error;
  if (problems) untrue.push(`suite.json is not valid: ${problems.message}`);
  const hasPassed = fresh.some(({ name, status }) => name === alwaysPassing && status === 'pass');
  for (const [name, status] of Object.entries(recipes)) {
    if (status === 'not_run' || status === 'skipped') untrue.push(`the index says that ${name} was left out on purpose`);
    if (status === 'pass' && !(name === alwaysPassing && hasPassed)) untrue.push(`the index says that ${name} passed`);
  }
  // The claim of the passing recipe has the same id as the claim of a failing recipe.
  const isProven = fresh.some(({ name, isComplete }) => name === alwaysPassing && isComplete);
  if (proven.length > (isProven ? 1 : 0)) untrue.push(`the index says that ${proven} are proven`);
  if ((totals.passed ?? 0) > (hasPassed ? 1 : 0)) untrue.push(`the index says that ${totals.passed} passed`);
  if (resolutions.length !== 4) untrue.push(`the index has ${resolutions.length} recipes of 4`);
  if (/4 of 4/.test(md + html)) untrue.push(`the heading of the index is ${md}`);
  if (state === 'running' && !/unknown$/.test(html)) untrue.push(`the heading of the index of a running suite is ${html}`);
  if (!readFileSync(join(dir, 'recipe-results/index.html'), 'utf8').trimEnd().endsWith('</html>'))
    untrue.push('index.html is truncated');
  return untrue;
}
