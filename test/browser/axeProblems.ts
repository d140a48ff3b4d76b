// What axe holds against a page of ours, in both colour schemes, wide and narrow.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Node = { target: readonly unknown[]; html: string; failureSummary?: string };
type Result = { violations: readonly { id: string; nodes: readonly Node[] }[] };

type Look = { colorScheme: 'light' | 'dark'; width: number };

/** Each colour scheme and each width once; all pairs of them in "npm run test:all" alone, as axe takes long. */
const everyLook: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  ...(process.env.RECIPEWRIGHT_ALL
    ? ([
        { colorScheme: 'light', width: 360 },
        { colorScheme: 'dark', width: 1280 },
      ] as const)
    : []),
];

/** `rule: where it is: what is wrong`, each once; with everything open that can be opened. */
export async function axeProblems(page: Page, looks = everyLook): Promise<string[]> {
  await page.evaluate(source);
  await page.evaluate(openAll);
  const found = new Set<string>();
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const { violations } = (await page.evaluate(run)) as Result;
    for (const { id, nodes } of violations) for (const node of nodes) found.add(`${id}: ${wordsOf(node)}`);
  }
  return [...found];
}

function wordsOf({ target, html, failureSummary = '' }: Node): string {
  return `${target.join(' ')}: ${html.slice(0, 160)}: ${failureSummary.replace(/\s+/g, ' ')}`;
}

// As texts: the tests know no types of a page. What is not drawn yet would not be looked at.
const openAll = `
for (const one of document.querySelectorAll('details')) one.open = true;
document.styleSheets[0]?.insertRule('.entry{content-visibility:visible!important}');
`;

// Besides those that are on by themselves: the size of what is pressed; and two elements of one id, as a link leads to the first only.
const run = `axe.run(document, {
  resultTypes: ['violations'],
  rules: Object.fromEntries(['target-size', 'duplicate-id', 'duplicate-id-active'].map((rule) => [rule, { enabled: true }])),
})`;
