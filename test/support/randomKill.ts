// Runs that are killed at random moments, and whether what lies there afterwards says more than they proved.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suiteResultModel } from '../../src/evidence/models/suiteResultModel.js';
import type { Summary } from '../../src/evidence/summary.js';
import { runCount } from '../property/runCount.js';
import { filesBelow } from './packages.js';
import { hears, recipe, sound } from './recipe.js';
import { setupFile } from './setupFile.js';
import { indexIn } from './staleTree.js';

/** Recipes that are green while word.txt says hello, each with a teardown, and one that is always green. Each says where it is. */
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

/** Two assertions of the claim: the first holds always. */
function changing(id: string): object {
  const nodes = {
    speak: { action: 'lab.word' },
    there: hears('speak', 'there', { proofTarget: id }),
    listen: hears('speak', 'hello', { proofTarget: id }),
  };
  return recipe(nodes, { title: `Proves ${id}`, targets: [id], teardown: [{ action: 'lab.tidy' }] });
}

export type Kill = { when: string; afterMs: number; signal: NodeJS.Signals; text: string; option: number };

/** The kills of one test. The same seed gives the same ones. */
export function randomKills(usual: number, moments: readonly string[]): Kill[] {
  const { numRuns = usual, seed = Math.floor(Math.random() * 2 ** 31) } = runCount(usual);
  const random = randomBy(seed);
  return Array.from({ length: numRuns }, (_, index) => {
    // One after the other, so that few kills are spread, too.
    const when = moments[index % moments.length] ?? '';
    const signal = (['SIGKILL', 'SIGTERM', 'SIGINT'] as const)[Math.floor(random() * 3)] ?? 'SIGKILL';
    const afterMs = Math.floor(random() ** 2 * 1_500);
    const option = random();
    const text = `RECIPEWRIGHT_SEED=${seed}, kill ${index}: ${signal} ${afterMs} ms after ${JSON.stringify(when)}`;
    return { when, afterMs, signal, text, option };
  });
}

// Mulberry32.
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Said = { name: string; run: string | undefined; status: string; proven: string[]; isWhole: boolean };

/** What every summary below the results says. */
export function summariesIn(dir: string): Said[] {
  const results = join(dir, 'recipe-results');
  return filesBelow(results)
    .filter((file) => file.endsWith('/summary.json'))
    .map((file) => {
      const { run, status, proof } = JSON.parse(readFileSync(join(results, file), 'utf8')) as Summary;
      const proven = proof.filter((claim) => claim.status === 'proven').map(({ id }) => id);
      const name = file.replace(/\/summary\.json$/, '');
      return { name, run, status, proven, isWhole: cameToItsEnd(join(results, name, 'journal.jsonl')) };
    });
}

/** Whether no signal cut the run short: what it proved until then holds, also when its test was stopped afterwards. */
function cameToItsEnd(journal: string): boolean {
  if (!existsSync(journal)) return false;
  const last = readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  // A line that a kill cut in two is no end.
  const { t, path, signal } = (last.endsWith('}') ? JSON.parse(last) : {}) as { t?: string; path?: string; signal?: string };
  return t === 'end' && path === '' && signal === undefined;
}

const always = 'recipes/still';

/** What is there and says too much after a run in which all but one recipe are red. `former`: what the green run before had left. */
export function untrueAfter(dir: string, exitCode: number | null, former: readonly Said[]): string[] {
  const untrue: string[] = [];
  const fresh = summariesIn(dir).filter(({ run }) => !former.some((one) => one.run === run));
  for (const { name, status, proven } of fresh)
    if (name !== always && (status === 'pass' || proven.length > 0)) untrue.push(`the package ${name} says ${status}, ${proven}`);
  if (exitCode === 0) untrue.push('the exit code is 0');
  const { recipes, proven, md, html, resolutions, state, totals } = indexIn(dir);
  const problems = suiteResultModel.safeParse(JSON.parse(readFileSync(join(dir, 'recipe-results/suite.json'), 'utf8'))).error;
  if (problems) untrue.push(`suite.json is not valid: ${problems.message}`);
  const isFresh = fresh.some(({ name, status }) => name === always && status === 'pass');
  for (const [name, said] of Object.entries(recipes)) {
    if (said === 'not_run' || said === 'skipped') untrue.push(`the index says that ${name} was left out on purpose`);
    if (said === 'pass' && !(name === always && isFresh)) untrue.push(`the index says that ${name} passed`);
  }
  // The claim of the recipe that is green has the same name as one of the others, which is red.
  const isProven = fresh.some(({ name, isWhole }) => name === always && isWhole);
  if (proven.length > (isProven ? 1 : 0)) untrue.push(`the index says that ${proven} are proven`);
  if ((totals.passed ?? 0) > (isFresh ? 1 : 0)) untrue.push(`the index says that ${totals.passed} passed`);
  if (resolutions.length !== 4) untrue.push(`the index has ${resolutions.length} recipes of 4`);
  if (/4 of 4/.test(md + html)) untrue.push(`the index is headed ${md}`);
  if (state === 'running' && !/unknown$/.test(html)) untrue.push(`the index of a run that goes on is headed ${html}`);
  if (!readFileSync(join(dir, 'recipe-results/index.html'), 'utf8').trimEnd().endsWith('</html>'))
    untrue.push('index.html is cut');
  return untrue;
}
