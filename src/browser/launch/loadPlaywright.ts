// The Playwright of a project: what starts browsers and attaches to those that run.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserType } from '@playwright/test';

export type BrowserName = 'chromium' | 'firefox' | 'webkit';

export type Playwright = Readonly<Record<BrowserName, BrowserType>>;

/** Each way ends at the small module that knows browsers and no tests; the packages before it need not be ours to see (pnpm). */
const packageChains: readonly (readonly string[])[] = [
  ['@playwright/test', 'playwright', 'playwright-core'],
  ['playwright', 'playwright-core'],
  ['playwright-core'],
];

export const playwrightPackages: readonly string[] = packageChains.flatMap(([first = '']) => first);

/** Undefined when the project has none. */
export function loadPlaywright(projectRoot: string): Playwright | undefined {
  for (const chain of packageChains) {
    const found = requireThrough(join(projectRoot, 'package.json'), chain);
    if (found) return found;
  }
  return undefined;
}

function requireThrough(start: string, chain: readonly string[]): Playwright | undefined {
  const last = chain.at(-1) ?? '';
  try {
    const from = chain.slice(0, -1).reduce((file, name) => createRequire(file).resolve(`${name}/package.json`), start);
    return createRequire(from)(last) as Playwright;
  } catch (thrown) {
    // It is not there; one that is there and broken is told of by what it throws.
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown;
    return undefined;
  }
}

// What is said where a recipe needs a page and the project has no Playwright: the same before a run and when tests are collected.

/** `driver`: the action that only Playwright can serve; undefined when the port of an app would do. */
export function describeMissingPlaywright(projectRoot: string, driver: string | undefined): string {
  const packages = `neither ${playwrightPackages.join(' nor ')}`;
  return `${driver ?? 'The recipe'} needs a browser, and ${projectRoot} has no Playwright to drive one: ${packages}.`;
}

export function missingPlaywrightHint({ playwright }: { playwright: string }, driver: string | undefined): string {
  if (driver !== undefined) return playwright;
  return `${playwright}\nOr name the port of an app that runs already, which is enough for cdp actions: --cdp-port, or "browser.cdpPort" in the config.`;
}
