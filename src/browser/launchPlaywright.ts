// The Playwright of a project: what starts browsers and attaches to those that run.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserType } from '@playwright/test';

export type BrowserName = 'chromium' | 'firefox' | 'webkit';

export type Playwright = Readonly<Record<BrowserName, BrowserType>>;

/** Each way ends at the small module that knows browsers and no tests; the packages before it need not be ours to see (pnpm). */
const ways: readonly (readonly string[])[] = [
  ['@playwright/test', 'playwright', 'playwright-core'],
  ['playwright', 'playwright-core'],
  ['playwright-core'],
];

export const playwrightPackages: readonly string[] = ways.flatMap(([first = '']) => first);

/** Undefined when the project has none. */
export function loadPlaywright(projectRoot: string): Playwright | undefined {
  for (const way of ways) {
    const found = follow(join(projectRoot, 'package.json'), way);
    if (found) return found;
  }
  return undefined;
}

function follow(start: string, way: readonly string[]): Playwright | undefined {
  const last = way.at(-1) ?? '';
  try {
    const from = way.slice(0, -1).reduce((file, name) => createRequire(file).resolve(`${name}/package.json`), start);
    return createRequire(from)(last) as Playwright;
  } catch (thrown) {
    // It is not there; one that is there and broken is told of by what it throws.
    if ((thrown as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw thrown;
    return undefined;
  }
}
