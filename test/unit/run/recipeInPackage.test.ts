// The package has the recipe from the first node on, so that a live review can show it.
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../src/hosts/plain/runRecipe.js';
import { verifyPackage } from '../../../src/verify/verifyPackage.js';
import { recipeOf } from '../../support/plain.js';

test.each([
  ['exists during the run', 'test -s out/recipe.json'],
  ['is restored after a command changes it', 'echo "{}" > out/recipe.json'],
  ['is restored after a command deletes it', 'rm out/recipe.json'],
  ['replaces a link to a copy', 'cp out/recipe.json copy.json && ln -sf ../copy.json out/recipe.json'],
])('the recipe in the package %s', async (_what, cmd) => {
  const root = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const recipe = recipeOf({ look: { action: 'command', cmd, next: 'done' } });
  writeFileSync(join(root, 'a.recipe.json'), JSON.stringify(recipe));
  const dir = join(root, 'out');
  const result = await runRecipe(join(root, 'a.recipe.json'), { artifactsDir: dir, projectRoot: root });
  expect(result).toMatchObject({ ran: true, verdict: 'pass' });
  expect(lstatSync(join(dir, 'recipe.json')).isFile()).toBe(true);
  expect(JSON.parse(readFileSync(join(dir, 'recipe.json'), 'utf8'))).toEqual(recipe);
  expect(verifyPackage(dir)).toMatchObject({ status: 'verified', verdict: 'pass' });
});
