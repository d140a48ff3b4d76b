// Recipes in JSON and Markdown, loaded case by case as the reference loads them.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { corpus } from './goldens.js';
import { layOut, loaded, packagedCases, recipeCases, recordedIn } from './recordedRecipes.js';

describe.skipIf(!corpus.isThere)(`the recorded recipes of the reference${corpus.isThere ? '' : ` (${corpus.why})`}`, () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    layOut(root);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('are many', () => {
    expect(recipeCases.length).toBe(66);
    expect(packagedCases.length).toBeGreaterThan(40);
  });

  test.for(recipeCases)('$id is loaded alike', ({ file, v033 }) => {
    const wanted = recordedIn(root, v033);
    const options = { compat: true, agentDir: join(root, 'agent'), packagedRoot: corpus.packaged, cwd: root };
    expect(loaded(file.replace('$B', root), options)).toEqual(wanted);
  });

  test.for(packagedCases)('$id, a packaged recipe, is compiled alike', ({ id, recipe }) => {
    const options = { compat: true, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
    expect(loaded(join(corpus.packaged, id), options)).toEqual({ recipe });
  });

  test.for([true, false])('every packaged recipe loads (compat %s)', (compat) => {
    const files = readdirSync(corpus.packaged);
    expect(files.length).toBe(60);
    for (const file of files) {
      const options = { compat, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
      expect(loadTemplateRecipe(join(corpus.packaged, file), options).recipe, file).toBeDefined();
    }
  });

  test('the surroundings of the recorder are there', () => {
    expect(existsSync(join(root, 'adhoc/d33.json'))).toBe(true);
  });
});
