// Checks a page with axe, in both colour schemes and at two widths.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Node = { target: readonly unknown[]; html: string; failureSummary?: string };
type Result = { violations: readonly { id: string; nodes: readonly Node[] }[] };

type Look = { colorScheme: 'light' | 'dark'; width: number };

/** Each colour scheme and each width once. All combinations only in "npm run test:all", because axe is slow. */
const allLooks: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  ...(process.env.RECIPEWRIGHT_ALL
    ? ([
        { colorScheme: 'light', width: 360 },
        { colorScheme: 'dark', width: 1280 },
      ] as const)
    : []),
];

/** Opens all details, and returns each problem once as `rule: selector: html: problem`. */
export async function axeProblems(page: Page, looks = allLooks): Promise<string[]> {
  await page.evaluate(source);
  await page.evaluate(openAll);
  const found = new Set<string>();
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const { violations } = (await page.evaluate(run)) as Result;
    for (const { id, nodes } of violations) for (const node of nodes) found.add(`${id}: ${describeNode(node)}`);
  }
  return [...found];
}

function describeNode({ target, html, failureSummary = '' }: Node): string {
  return `${target.join(' ')}: ${html.slice(0, 160)}: ${failureSummary.replace(/\s+/g, ' ')}`;
}

// The scripts are strings, because the tests are compiled without DOM types. axe skips entries that the browser has not drawn yet.
const openAll = `
for (const one of document.querySelectorAll('details')) one.open = true;
document.styleSheets[0]?.insertRule('.entry{content-visibility:visible!important}');
`;

// Adds rules to axe's default ones: target sizes, and duplicate ids, because a link leads to the first of them only.
const run = `axe.run(document, {
  resultTypes: ['violations'],
  rules: Object.fromEntries(['target-size', 'duplicate-id', 'duplicate-id-active'].map((rule) => [rule, { enabled: true }])),
})`;
