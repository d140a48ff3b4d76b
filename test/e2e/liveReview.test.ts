// `review --watch` while Playwright runs recipes: the page shows the graph with the path so far, and then the package.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveReview } from '../../src/review/serve/serveReview.js';
import { eventMs } from '../support/patience.js';
import { expect, test } from '../support/project.js';
import { hears, recipe, say } from '../support/recipe.js';
import { setupFile } from '../support/setupFile.js';

const setup = setupFile(
  {
    'lab.hold':
      "while (!existsSync('go')) await new Promise((again) => setTimeout(again, 20)); return { output: { held: true } };",
  },
  "import { existsSync } from 'node:fs';",
);

const held = recipe(
  {
    // Its line is too long for an annotation, and is sent as an attachment.
    talk: say('x'.repeat(6_000)),
    hold: { action: 'lab.hold', intent: 'Hold on until somebody says go' },
    listen: hears('talk', 'xxx', { proofTarget: 'AC1' }),
  },
  { title: 'Is held', targets: ['AC1'] },
);

test('the live page shows the path that a running recipe took, and then the page of its package', async ({ project }) => {
  const inner = project({ 'recipes.setup.ts': setup, 'recipes/a.recipe.json': held });
  const results = join(inner.dir, 'recipe-results');
  const run = inner.run();
  await expect.poll(() => existsSync(join(results, '.live/recipes/a/journal.jsonl')), { timeout: eventMs }).toBe(true);
  const { url, close } = await serveReview(results, { watch: true });
  try {
    const get = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
    const page = (): Promise<string> => get('recipes/a/review.html');
    await expect
      .poll(page, { timeout: eventMs })
      .toMatch(/<a class="g-node g-run" .*Hold on until somebody says go.*2\. is running</s);
    const live = await page();
    expect(live).toMatch(/class="g-node g-pass" .*1\. passed · /s);
    expect(live).toMatch(/g-none g-proof"[^>]*>.*not reached/s);
    expect(live).toContain('The run has not ended yet: it is at hold');
    expect(live).toMatch(/<dt>Nodes<\/dt><dd>1 passed, 0 failed<\/dd>/);
    expect(await get('')).toMatch(/<a href="\.\/recipes\/a\/review\.html">recipes\/a<\/a>.*… Running/s);
    const before = await get('recipes/a/review.html?changed');
    writeFileSync(join(inner.dir, 'go'), '');
    expect(await run).toMatchObject({ exitCode: 0, passed: 1 });
    expect(await get('recipes/a/review.html?changed')).not.toBe(before);
    expect(await page()).toMatch(/✓ Pass.*1 of 1 claims proven/s);
    expect(existsSync(join(results, '.live'))).toBe(false);
  } finally {
    await close();
  }
});
