// The recipe lies in the package from the first node on, for those who look on.
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { recipeOf } from '../../support/plain.js';

test.each([
  ['is there while it runs', 'test -s out/recipe.json'],
  ['is that of the run, whatever a command puts in its place', 'echo "{}" > out/recipe.json'],
  ['is there again when a command removes it', 'rm out/recipe.json'],
  ['is no link, even to the same', 'cp out/recipe.json copy.json && ln -sf ../copy.json out/recipe.json'],
])('the recipe %s', async (_what, cmd) => {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const recipe = recipeOf({ look: { action: 'command', cmd, next: 'done' } });
  writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe));
  const dir = join(root, 'out');
  const ran = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: dir, projectRoot: root });
  expect(ran).toMatchObject({ ran: true, verdict: 'pass' });
  expect(lstatSync(join(dir, 'recipe.json')).isFile()).toBe(true);
  expect(JSON.parse(readFileSync(join(dir, 'recipe.json'), 'utf8'))).toEqual(recipe);
  expect(verifyPackage(dir)).toMatchObject({ status: 'verified', verdict: 'pass' });
});
