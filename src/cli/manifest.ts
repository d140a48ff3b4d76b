// recipewright manifest [--json]: what can be executed here, as a table or as the protocol's action manifest.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { toManifest } from '../actions/manifest/toManifest.js';
import { createRegistry } from '../actions/registry.js';
import { exitCodes } from '../evidence/failure.js';
import { print, printJson } from './output.js';

/** What a Playwright test gives to its actions. */
const pageFixtures = ['page', 'context', 'browser', 'request'];

export function manifest({ json }: { json?: unknown }): number {
  const registry = createRegistry({ fixtures: hasPlaywright(process.cwd()) ? pageFixtures : [] });
  if (json) {
    printJson(toManifest(registry));
    return exitCodes.pass;
  }
  const actions = [...registry.values()];
  const width = Math.max(...actions.map(({ name }) => name.length));
  print(actions.map(({ name, description }) => `${name.padEnd(width)}  ${description}`).join('\n'));
  return exitCodes.pass;
}

function hasPlaywright(projectRoot: string): boolean {
  try {
    createRequire(join(projectRoot, 'package.json')).resolve('@playwright/test');
    return true;
  } catch {
    // MODULE_NOT_FOUND: the project runs recipes without a browser.
    return false;
  }
}
