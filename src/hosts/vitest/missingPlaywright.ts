// Recipes that need a page in a project without Playwright: said when they are collected, before anything runs.
import { loadPlaywright, playwrightPackages } from '../../browser/launchPlaywright.js';
import type { Finding } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import { fixes } from '../../run/doctor/fixes.js';
import type { NodeWithPage } from './filesReadBy.js';

/** The test itself fails of the same; a list would not tell. */
export function warnWithoutPlaywright([first]: readonly NodeWithPage[], projectRoot: string, text: string): void {
  if (!first || hasPlaywright(projectRoot)) return;
  process.stderr.write(`${printFinding(missingPlaywright(first, projectRoot), text)}\n\n`);
}

const known = new Map<string, boolean>();

function hasPlaywright(projectRoot: string): boolean {
  const found = known.get(projectRoot) ?? loadPlaywright(projectRoot) !== undefined;
  known.set(projectRoot, found);
  return found;
}

function missingPlaywright({ action, path, place }: NodeWithPage, projectRoot: string): Finding {
  const message = `${action} needs a browser, and ${projectRoot} has no Playwright to drive one: neither ${playwrightPackages.join(' nor ')}.`;
  return { code: 'run.no_playwright', severity: 'error', path, place, message, hint: fixes['tools.playwright'] ?? '' };
}
