// Recipes that need a page in a project without Playwright: said when they are collected, before anything runs.

import { describeMissingPlaywright, loadPlaywright, missingPlaywrightHint } from '../../browser/launch/loadPlaywright.js';
import type { Finding } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import type { Setup } from '../../registry/setup.js';
import { fixes } from '../../run/doctor/check.js';
import { loadSetup } from '../../run/project/projectConfig.js';
import { type NodeWithPage, nodesWithPage, type OwnNode } from './filesReadBy.js';

/** `hasPort`: an app that runs already is named, or may be by an input. */
export type Collected = { projectRoot: string; text: string; hasPort: boolean };

/** The test itself fails of the same; a list would not tell. */
export function warnWithoutPlaywright(nodes: readonly NodeWithPage[], { projectRoot, text, hasPort }: Collected): boolean {
  const driven = nodes.find(({ overPort }) => !overPort);
  const first = driven ?? (hasPort ? undefined : nodes[0]);
  if (!first || hasPlaywright(projectRoot)) return false;
  process.stderr.write(`${printFinding(missingPlaywright(first, projectRoot), text)}\n\n`);
  return true;
}

/** The same for the project's own actions. Their module is loaded only where it can matter: a list need not know it. */
export async function warnOfOwn(nodes: readonly OwnNode[], setup: string, collected: Collected): Promise<void> {
  if (nodes.length === 0 || hasPlaywright(collected.projectRoot)) return;
  // One that cannot be loaded fails every test, which says why.
  const { actions = [] } = await loadSetup(setup).catch((): Setup => ({}));
  warnWithoutPlaywright(nodesWithPage(nodes, new Map(actions.map((action) => [action.name, action]))), collected);
}

const known = new Map<string, boolean>();

export function hasPlaywright(projectRoot: string): boolean {
  const found = known.get(projectRoot) ?? loadPlaywright(projectRoot) !== undefined;
  known.set(projectRoot, found);
  return found;
}

function missingPlaywright({ action, overPort, path, place }: NodeWithPage, projectRoot: string): Finding {
  const message = describeMissingPlaywright(projectRoot, action);
  const hint = missingPlaywrightHint({ playwright: fixes['tools.playwright'] ?? '' }, overPort ? undefined : action);
  return { code: 'run.no_playwright', severity: 'error', path, place, message, hint };
}
