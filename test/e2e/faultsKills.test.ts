// Kills a run at random moments after a passed run. No file claims more than the killed run has proven.

import { expect, test } from '../support/project.js';
import { killFiles, randomKills, summariesIn, untrueAfter } from '../support/randomKill.js';
import { indexIn, keepResults, restoreResults } from '../support/staleTree.js';

const config = `
  import { defineConfig } from '@playwright/test';
  import { withRecipes } from 'recipewright/playwright';
  console.log('config begins');
  export default withRecipes(
    defineConfig({ workers: 2, reporter: [['list'], ['recipewright/playwright/reporter']] }),
    { recipes: 'recipes/**/*.recipe.json', setup: './recipes.setup.ts' },
  );
`;

test('a failing run that is killed at any moment after a passed run leaves no index, package or exit code that claims more than it proved', async ({
  project,
}) => {
  const kills = randomKills(3, ['config begins', 'a node begins', 'Running 4 tests', 'a teardown begins', 'config begins']);
  test.setTimeout(120_000 + kills.length * 60_000);
  const inner = project({ ...killFiles, 'playwright.config.ts': config });
  expect((await inner.run()).exitCode).toBe(0);
  expect(indexIn(inner.dir).html).toBe('4 of 4 recipes passed');
  keepResults(inner.dir);
  const former = summariesIn(inner.dir);
  inner.write({ 'word.txt': 'bye there' });
  for (const { text, option, ...send } of kills) {
    restoreResults(inner.dir);
    const { exitCode } = await inner.run(option < 0.3 ? ['--reporter=line'] : [], { send: { ...send, repeatAfterMs: 20_000 } });
    const untrue = untrueAfter(inner.dir, exitCode, former);
    console.log(`${text}: ${exitCode}, ${indexIn(inner.dir).html}`);
    expect(untrue, text).toEqual([]);
  }
});
