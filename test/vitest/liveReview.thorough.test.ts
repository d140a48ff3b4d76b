// `review --watch` follows Vitest: it shows the graph with the path so far, then the package.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveReview } from '../../src/review/serve/serveReview.js';
import { hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';
import { vitestProject } from '../support/vitestProject.js';

const setup = setupFile(
  {
    'lab.hold':
      "while (!existsSync('go')) await new Promise((again) => setTimeout(again, 20)); return { output: { held: true } };",
  },
  "import { existsSync } from 'node:fs';",
);

const held = recipe(
  {
    talk: say('hello'),
    hold: { action: 'lab.hold', intent: 'Wait for the file that ends it' },
    listen: hears('talk', 'hello', { proofTarget: 'AC1' }),
  },
  { title: 'Is held', targets: ['AC1'] },
);

test('the live page shows the graph with the path so far, and then the page of the package', async () => {
  const project = vitestProject({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': held });
  const results = join(project.dir, 'recipe-results');
  const { ended } = project.start(['run']);
  await expect.poll(() => existsSync(join(results, '.live/recipes/a/journal.jsonl'))).toBe(true);
  const { url, close } = await serveReview(results, { watch: true });
  onTestFinished(close);
  const page = async (): Promise<string> => (await fetch(`${url}recipes/a/review.html`)).text();
  await expect.poll(page).toMatch(/<a class="g-node g-run" .*Wait for the file that ends it.*2\. is running</s);
  expect(await page()).toMatch(/class="g-node g-pass" .*1\. passed · /s);
  writeFileSync(join(project.dir, 'go'), '');
  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(await page()).toMatch(/✓ Pass.*1 of 1 claims proven/s);
  expect(existsSync(join(results, '.live'))).toBe(false);
});
