// Recipes that run without the reporter leave nothing behind, and look as if they had.
import type { TestInfo } from '@playwright/test';
import { keepsPackages } from './withReporter.js';

let isTold = false;

/** withRecipes adds the reporter: who runs without it then asked for others on the command line. */
export function tellNothing(): void {
  isTold = true;
}

/** Says so once in a process of the run; those that take the place of one that ended say nothing again. */
export function tellNoReporter({ config, workerIndex }: TestInfo): void {
  if (isTold) return;
  isTold = true;
  if (workerIndex >= config.workers || keepsPackages(config.reporter)) return;
  process.stderr.write(
    'recipewright: this run keeps no evidence packages of its recipes, as "recipewright/playwright/reporter" is not among its reporters. Add it to "reporter" of the Playwright config.\n',
  );
}
