// A Playwright project with the results of a passed run. The tests of a worker share these results.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Project } from './project.js';
import { indexIn, keepResults, wordFiles } from './staleTree.js';

const config = `
  import { defineConfig } from '@playwright/test';
  import { withRecipes } from 'recipewright/playwright';

  console.log('config begins');
  if (process.env.THROW) throw new Error('The config throws.');

  export default withRecipes(
    defineConfig({
      workers: 1,
      projects: [{ name: 'native', testDir: 'tests' }],
      reporter: [['list'], ['json', { outputFile: 'report.json' }], ['recipewright/playwright/reporter']],
    }),
    { recipes: 'recipes/**/*.recipe.json', setup: './recipes.setup.ts' },
  );
`;

const nativeTest = "import { test } from '@playwright/test';\ntest('a native one', () => {});\n";

export const green = { 'recipes/a': 'pass', 'recipes/b': 'pass', 'recipes/c': 'pass' };
export const unknown = { 'recipes/a': 'unknown', 'recipes/b': 'unknown', 'recipes/c': 'unknown' };

type NewProject = (files: Record<string, unknown>) => Project;

let greenResults: string | undefined;

export function removeGreenResults(): void {
  if (greenResults !== undefined) rmSync(greenResults, { recursive: true });
  greenResults = undefined;
}

/** Creates a project with the results of a passed run. */
export async function greenTree(project: NewProject): Promise<Project> {
  const inner = project({ ...wordFiles, 'playwright.config.ts': config, 'tests/native.spec.ts': nativeTest });
  const results = join(inner.dir, 'recipe-results');
  if (greenResults !== undefined) {
    cpSync(greenResults, results, { recursive: true });
  } else {
    expect(await inner.run()).toMatchObject({ exitCode: 0, stderr: '', passed: 4 });
    expect(indexIn(inner.dir)).toMatchObject({
      md: 'Recipes: 3 of 3 passed',
      html: '3 of 3 recipes passed',
      state: 'finished',
      recipes: green,
      proven: ['AC1', 'AC2', 'AC3'],
    });
    greenResults = mkdtempSync(join(tmpdir(), 'recipewright-green-'));
    cpSync(results, greenResults, { recursive: true });
  }
  keepResults(inner.dir);
  return inner;
}

/** Removes the native test, so that later runs need no worker for its project. */
export function removeNative({ dir }: Project): void {
  rmSync(join(dir, 'tests/native.spec.ts'));
}
