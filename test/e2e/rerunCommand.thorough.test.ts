// The command of index.md, pasted into a shell, runs the recipe that failed and no other.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandsIn, paste } from '../support/indexCommands.js';
import { expect, test } from '../support/project.js';
import { exit, hears, recipe, say, sound } from '../support/recipe.js';
import { readReport } from '../support/report.js';

const failing = (code: number) => recipe({ ask: exit(code) }, { title: `Ends with ${code}` });
const refuted = recipe({ ask: say('nine'), check: hears('ask', 'ten', { proofTarget: 'AC1' }) }, { targets: ['AC1'] });

// Each path matches the path of another recipe if it is used as a pattern.
const names = {
  'recipes/price': refuted,
  'recipes/PRICE': failing(4),
  'recipes/more/recipes/price': failing(6),
  "recipes/a (1)+[x] $HOME 'q'": failing(7),
};

test.skip(process.platform !== 'linux', 'These file names need a case-sensitive file system, and sh.');

test('the command in index.md runs a failed recipe again, alone, and it fails for the same reason', async ({ project }) => {
  const files = Object.fromEntries(Object.entries(names).map(([name, content]) => [`${name}.recipe.json`, content]));
  const inner = project({ ...files, 'recipes/good.recipe.json': sound() }, { config: { workers: 1 } });
  const first = await inner.run();
  expect(first).toMatchObject({ passed: 1, failed: Object.keys(names).length });
  const text = readFileSync(join(inner.dir, 'recipe-results/index.md'), 'utf8');
  const commands = commandsIn(text);
  expect([...commands.keys()].sort()).toEqual(
    [...first.packages]
      .filter(([, { summary }]) => summary.status !== 'pass')
      .map(([name]) => name)
      .sort(),
  );
  for (const [name, command] of commands) {
    rmSync(join(inner.dir, 'report.json'));
    const { exitCode, output } = await paste(command, inner.dir);
    const { expected, unexpected } = readReport(join(inner.dir, 'report.json'))?.stats ?? {};
    expect({ exitCode, expected, unexpected }, `${command}\n${output}`).toEqual({ exitCode: 1, expected: 0, unexpected: 1 });
    const summary = JSON.parse(readFileSync(join(inner.dir, 'recipe-results', name, 'summary.json'), 'utf8'));
    expect(summary.reason).toBe(first.packages.get(name)?.summary.reason);
  }
});
