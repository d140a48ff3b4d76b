// Creates a package that has claims, a call, a retry, a tolerated failure, artifacts and a teardown.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { recipeOf, withIntents } from '../../support/plain.js';
import { directory } from './packages.js';

/** A node without a process, so that it takes no time. */
const pause = (rest: object = {}) => ({ action: 'wait', duration_ms: 0, next: 'done', ...rest });
const tooShort = { assert: { path: '$.durationMs', operator: 'gt', value: 5 } };

const flow = {
  description: 'Asks.',
  workflow: { entry: 'ask', nodes: { ...withIntents({ ask: pause() }), done: { action: 'end', status: 'pass' } } },
};

export const richRecipe = recipeOf(
  {
    first: { action: 'call', ref: 'shop.ask', next: 'flaky' },
    flaky: pause({
      ...tooShort,
      next: 'soft',
      rw: { on_fail: 'continue', retry: { max: 2, recover: { action: 'wait', intent: 'Take a breath', duration_ms: 0 } } },
    }),
    soft: pause({ ...tooShort, next: 'keep', rw: { on_fail: 'continue' } }),
    keep: { action: 'index_artifacts', artifacts: ['notes.log', 'shots/a.json'], next: 'check', proofTarget: 'AC1' },
    check: { action: 'assert_file', path: 'notes.log', contains: 'kept', proofTarget: 'AC1', next: 'done' },
  },
  {
    title: 'A rich recipe',
    proofTargets: [{ id: 'AC1', claim: 'The notes are kept.' }],
    flows: { 'shop.ask': flow },
    workflow: { teardown: [{ action: 'wait', intent: 'Clean up after the shop', duration_ms: 0 }] },
  },
);

/** Runs a recipe in its own project. The package is in `out`, the recipe in `a.recipe.json`. */
export async function runIn(root: string, recipe: unknown = richRecipe): Promise<string> {
  writeFileSync(join(root, 'notes.log'), 'kept for later\n');
  cpSync(new URL('../../../tsconfig.json', import.meta.url), join(root, 'shots/a.json'), { recursive: true });
  writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe, null, 2));
  const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: join(root, 'out'), projectRoot: root });
  if (!result.ran) throw new Error(JSON.stringify(result.findings));
  if (recipe === richRecipe && result.summary.status !== 'pass') throw new Error(result.summary.reason);
  return join(root, 'out');
}

const origin = mkdtempSync(join(tmpdir(), 'recipewright-'));
let once: Promise<string> | undefined;
// Test files that share a process also share this package.
process.once('exit', () => rmSync(origin, { recursive: true, force: true }));

/** Returns a copy of the package for one test. `project`: the directory in which the recipe ran. */
export async function richPackage(): Promise<{ dir: string; project: string }> {
  once ??= runIn(origin);
  const dir = join(directory(), 'out');
  cpSync(await once, dir, { recursive: true });
  return { dir, project: origin };
}
