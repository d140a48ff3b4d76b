// The error of a hand-written test when its recipe could not run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runRecipe } from '../../../../src/hosts/plain/runRecipe.js';
import { expectPass } from '../../../../src/hosts/vitest/expectPass.js';
import { recipeOf } from '../../../support/plain.js';

test('the error about a directory that is not empty shows no line of the recipe', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'recipewright-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'a.recipe.json');
  writeFileSync(file, JSON.stringify(recipeOf({ first: { action: 'command', cmd: 'true', next: 'done' } }), null, 2));
  const result = await runRecipe(file, { artifactsDir: dir });
  const message = `run.directory_not_empty  ${dir}:1:1\n  The artifacts directory ${dir} is not empty.`;
  expect(() => expectPass(result)).toThrow(message);
});
