// Kills a run at random moments after a passed run. No file claims more than the killed run has proven.
import { expect, test } from 'vitest';
import { testMs } from '../support/patience.js';
import { killFiles, randomKills, summariesIn, untrueAfter } from '../support/randomKill.js';
import { indexIn, keepResults, restoreResults } from '../support/staleTree.js';
import { vitestProject } from '../support/vitestProject.js';

const config = `
  import { withRecipes } from 'recipewright/vitest';
  import { defineConfig } from 'vitest/config';
  console.log('config begins');
  export default withRecipes(defineConfig({ test: { maxWorkers: 2 } }), {
    recipes: 'recipes/**/*.recipe.json',
    setup: './recipes.setup.ts',
  });
`;

const kills = randomKills(3, ['config begins', 'a node begins', 'RUN ', 'a teardown begins', 'config begins']);

test('a run that is killed at any moment after a passed run leaves no index, package or exit code that claims more than it proved', {
  timeout: kills.length * testMs,
}, async () => {
  const project = vitestProject({ ...killFiles, 'vitest.config.ts': config });
  expect((await project.run()).exitCode).toBe(0);
  expect(indexIn(project.dir).html).toBe('4 of 4 recipes passed');
  keepResults(project.dir);
  const former = summariesIn(project.dir);
  project.write({ 'word.txt': 'bye there' });
  for (const { text, when, afterMs, signal } of kills) {
    restoreResults(project.dir);
    const { child, ended, sees } = project.start(['run']);
    await sees(when);
    setTimeout(() => child.kill(signal), afterMs).unref();
    const { exitCode } = await ended;
    const untrue = untrueAfter(project.dir, exitCode, former);
    console.log(`${text}: ${exitCode}, ${indexIn(project.dir).html}`);
    expect(untrue, text).toEqual([]);
  }
});
