// The command of index.md, pasted into a shell, runs the recipe that failed and no other.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsIn, paste } from '../support/indexCommands.js';
import { exit, hears, recipe, say, sound } from '../support/recipe.js';
import { vitestProject } from '../support/vitestProject.js';

const failing = (code: number) => recipe({ ask: exit(code) }, { title: `Ends with ${code}` });
const refuted = recipe({ ask: say('nine'), check: hears('ask', 'ten', { proofTarget: 'AC1' }) }, { targets: ['AC1'] });

// Each path is part of another, and Vitest filters files by a part of their path.
const names = {
  'recipes/price': failing(3),
  'recipes/more/recipes/price': refuted,
  "recipes/a (1)+[x] $HOME 'q'": failing(7),
};

test.skipIf(process.platform === 'win32')(
  'the command in index.md runs each failed recipe again, alone, and it fails for the same reason',
  async () => {
    const files = Object.fromEntries(Object.entries(names).map(([name, content]) => [`${name}.recipe.json`, content]));
    const project = vitestProject({ ...files, 'recipes/good.recipe.json': sound() });
    const first = await project.run();
    expect(first).toMatchObject({ passed: 1, failed: Object.keys(names).length });
    const commands = commandsIn(project.read('recipe-results/index.md'));
    expect(commands.size).toBe(Object.keys(names).length);
    for (const [name, command] of commands) {
      rmSync(join(project.dir, 'report.json'));
      const { exitCode, output } = await paste(command, project.dir);
      const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(project.read('report.json'));
      expect({ exitCode, passed, failed, files: testResults.length }, `${command}\n${output}`).toEqual({
        ...{ exitCode: 1, passed: 0, failed: 1, files: 1 },
      });
      const { reason } = JSON.parse(project.read(`recipe-results/${name}/summary.json`));
      expect(reason).toBe(first.packages.get(name)?.summary.reason);
    }
  },
);
