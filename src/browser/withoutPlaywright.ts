// What is said where a recipe needs a page and the project has no Playwright: the same before a run and when tests are collected.
import { playwrightPackages } from './launchPlaywright.js';

/** `driver`: the action that only Playwright can serve; undefined when the port of an app would do. */
export function withoutPlaywright(projectRoot: string, driver: string | undefined): string {
  const packages = `neither ${playwrightPackages.join(' nor ')}`;
  return `${driver ?? 'The recipe'} needs a browser, and ${projectRoot} has no Playwright to drive one: ${packages}.`;
}

export function hintFor({ playwright }: { playwright: string }, driver: string | undefined): string {
  if (driver !== undefined) return playwright;
  return `${playwright}\nOr name the port of an app that runs already, which is enough for cdp actions: --cdp-port, or "browser.cdpPort" in the config.`;
}
