// Loads the recorded recipes of the reference implementation, in JSON and Markdown, and compares the results.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTemplateRecipe } from '../../../../src/formats/template/files/loadTemplateRecipe.js';
import { corpus } from './goldens.js';
import { loadCase, packagedCases, recipeCases, recordedIn, writeRecorderFiles } from './recordedRecipes.js';

describe.skipIf(!corpus.exists)(`the recorded recipes${corpus.exists ? '' : ` (${corpus.skipReason})`}`, () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'recipewright-'));
    writeRecorderFiles(root);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('the corpus has 66 recorded recipes and more than 40 packaged ones', () => {
    expect(recipeCases.length).toBe(66);
    expect(packagedCases.length).toBeGreaterThan(40);
  });

  test.for(recipeCases)('the recorded recipe $id loads with the same result in compat', ({ file, v033 }) => {
    const expected = recordedIn(root, v033);
    const options = { compat: true, agentDir: join(root, 'agent'), packagedRoot: corpus.packaged, cwd: root };
    expect(loadCase(file.replace('$B', root), options)).toEqual(expected);
  });

  test.for(packagedCases)('the packaged recipe $id compiles to the same result in compat', ({ id, recipe }) => {
    const options = { compat: true, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
    expect(loadCase(join(corpus.packaged, id), options)).toEqual({ recipe });
  });

  test.for([true, false])('every packaged recipe loads (compat %s)', (compat) => {
    const files = readdirSync(corpus.packaged);
    expect(files.length).toBe(60);
    for (const file of files) {
      const options = { compat, agentDir: join(root, 'none'), packagedRoot: corpus.packaged };
      expect(loadTemplateRecipe(join(corpus.packaged, file), options).recipe, file).toBeDefined();
    }
  });

  test('the test directory has the files that the recorder had', () => {
    expect(existsSync(join(root, 'adhoc/d33.json'))).toBe(true);
  });
});
