// Graphs in a real browser: every text stays within its box and does not overlap the result icon.
import type { Browser } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildBoards } from '../../src/pages/graph/buildBoards.js';
import { PathTaken } from '../../src/pages/graph/pathTaken.js';
import { renderSvg } from '../../src/pages/graph/renderSvg.js';
import { closeContexts, freshPage, sharedChromium } from '../support/chromium.js';
import { everyKind, graphOf, type Json, randomRecipe, recipeOf, step } from '../unit/pages/graphs.js';
import { entry } from '../unit/pages/reviewFacts.js';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => closeContexts(browser));

const intents = [
  'MMMM WWWW MMMM WWWW MMMM WWWW MMMM',
  'mmmm wwww @@@@ mmmm wwww',
  'Do very much very much of number 0',
  'Änderungen größer öffnen',
  '商品の値段を尋ねる そして答えを待つ',
];
const wide = recipeOf(
  'n0',
  Object.fromEntries([
    ...intents.map((intent, index) => [`n${index}`, step(intent, `n${index + 1}`)] as [string, Json]),
    [`n${intents.length}`, { action: 'end', status: 'pass' }],
  ]),
);

// A string, because the tests are compiled without DOM types.
const overlaps = `[...document.querySelectorAll('.g-node')].flatMap((node) => {
  const box = node.querySelector('rect').getBBox();
  const icon = node.querySelector('circle')?.getBBox();
  const meets = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return [...node.querySelectorAll('text:not(.g-glyph)')].filter((text) => {
    const own = text.getBBox();
    const isOut = own.x < box.x || own.x + own.width > box.x + box.width || own.y + own.height > box.y + box.height + 2;
    return isOut || (icon && meets(own, icon));
  }).map((text) => text.textContent);
})`;

test.for([
  ['every kind of node', everyKind],
  ['wide letters', wide],
  ['200 nodes', randomRecipe(7, 200)],
] as const)('in a graph with %s, all texts stay within their boxes and do not overlap the result icons', async ([, recipe]) => {
  const { plan, options } = graphOf(recipe);
  const taken = new PathTaken(plan);
  for (const id of Object.keys((recipe as { validate: { workflow: { nodes: object } } }).validate.workflow.nodes))
    taken.add(entry(id, { durationMs: 61_234 }));
  const page = await freshPage(browser);
  await page.setContent(renderSvg(buildBoards(plan, options), { taken }));
  expect(await page.locator('.g-node circle').count()).toBeGreaterThan(5);
  expect(await page.evaluate(overlaps)).toEqual([]);
  await page.context().close();
});
