// Loads the Playwright that is installed in a project.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserType } from '@playwright/test';

export type BrowserName = 'chromium' | 'firefox' | 'webkit';

export type Playwright = Readonly<Record<BrowserName, BrowserType>>;

/**
 * Each chain ends at playwright-core, which has the browsers without the test runner. With pnpm it can only be resolved from
 * the package that depends on it.
 */
const packageChains: readonly (readonly string[])[] = [
  ['@playwright/test', 'playwright', 'playwright-core'],
  ['playwright', 'playwright-core'],
  ['playwright-core'],
];

export const playwrightPackages: readonly string[] = packageChains.flatMap(([first = '']) => first);

/** Undefined when the project has none. */
export function loadPlaywright(projectRoot: string): Playwright | undefined {
  for (const chain of packageChains) {
    const playwright = requireThrough(join(projectRoot, 'package.json'), chain);
    if (playwright) return playwright;
  }
  return undefined;
}

function requireThrough(start: string, chain: readonly string[]): Playwright | undefined {
  const last = chain.at(-1) ?? '';
  try {
    const from = chain.slice(0, -1).reduce((file, name) => createRequire(file).resolve(`${name}/package.json`), start);
    return createRequire(from)(last) as Playwright;
  } catch (thrown) {
    // A missing package is expected. A broken one is an error.
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown;
    return undefined;
  }
}

/** `driver`: the action that needs Playwright. Undefined when the debugging port of an app would be enough. */
export function describeMissingPlaywright(projectRoot: string, driver: string | undefined): string {
  const packages = `neither ${playwrightPackages.join(' nor ')}`;
  return `${driver ?? 'The recipe'} needs a browser, but ${projectRoot} has no Playwright: ${packages} is installed.`;
}

export function missingPlaywrightHint({ playwright }: { playwright: string }, driver: string | undefined): string {
  if (driver !== undefined) return playwright;
  return `${playwright}\nFor cdp actions, the debugging port of a running app is enough: set --cdp-port, or "browser.cdpPort" in the config.`;
}
