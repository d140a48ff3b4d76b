// Graphs as PNG files, drawn by a real browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { decodePng, isOneColour } from '../../src/browser/pngImage.js';
import { graph, printGraph } from '../../src/cli/graph.js';
import { directory } from '../unit/evidence/packages.js';
import { richRecipe } from '../unit/evidence/richPackage.js';

const project = fileURLToPath(new URL('../../', import.meta.url));

test('a graph as PNG has the size of the SVG and is not empty', async () => {
  const dir = directory();
  writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(richRecipe));
  const [svg, png] = [join(dir, 'a.svg'), join(dir, 'a.png')];
  const recipe = join(dir, 'a.recipe.json');
  await printGraph([recipe], { out: svg });
  expect(await graph([recipe], { out: png, format: 'png', projectRoot: project })).toBe(0);
  const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(readFileSync(svg, 'utf8')) ?? [];
  const bytes = readFileSync(png);
  expect(decodePng(bytes)).toMatchObject({ width: Math.ceil(Number(width)), height: Math.ceil(Number(height)) });
  expect(isOneColour(bytes)).toBe(false);
});

test('graph --format png without Playwright exits with 3', async () => {
  const dir = directory();
  writeFileSync(join(dir, 'a.recipe.json'), JSON.stringify(richRecipe));
  writeFileSync(join(dir, 'package.json'), '{}');
  expect(await graph([join(dir, 'a.recipe.json')], { out: join(dir, 'a.png'), format: 'png' })).toBe(3);
});
