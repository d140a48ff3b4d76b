// `cdp.*` over the debugging port of an app, in a Vitest project that has no Playwright.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { allNodes, serveCdpSite } from '../browser/cdpSite.js';
import { expectWhole } from '../support/evidence.js';
import { packageOf } from '../support/packages.js';
import { recipe } from '../support/recipe.js';
import { startApp } from '../support/runningApp.js';
import { vitestProject } from '../support/vitestProject.js';

test('all six cdp actions work over the debugging port without Playwright, and leave the app unchanged', async () => {
  const site = await serveCdpSite();
  onTestFinished(() => site.close());
  const app = await startApp(`${site.origin}/app`, ['--disable-popup-blocking']);
  onTestFinished(() => app.end());
  const project = vitestProject(
    { 'recipes/cdp.recipe.json': recipe(allNodes(site)) },
    { recipes: { browser: { cdpPort: app.port } } },
  );
  for (const name of ['@playwright', 'playwright', 'playwright-core']) rmSync(join(project.dir, 'node_modules', name));
  const run = await project.run();
  expect(run).toMatchObject({ exitCode: 0, stderr: '', passed: 1, failed: 0 });
  const found = packageOf(run, 'recipes/cdp');
  expectWhole(found);
  expect(found.files).toEqual(expect.arrayContaining(['network/stop.har']));
  const outputs = Object.fromEntries(found.trace.map(({ nodeId, output }) => [nodeId, output]));
  expect(outputs).toMatchObject({
    unblock: { refused: 1 },
    'blocked-came': { value: 'Failed to fetch' },
    'again-came': { value: '200' },
    'seen-looks': { json: { width: 390, dark: true, zone: 'Asia/Tokyo', agent: 'Phone/1' } },
    'itself-looks': { json: { dark: false } },
    inside: { value: 'frame' },
  });
  expect(await app.pages()).toEqual([`${site.origin}/app`]);
  expect(app.child.exitCode).toBeNull();
});
