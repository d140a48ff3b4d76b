// What a recipe reads beside itself: catalogs and recipes that it calls, libraries, files that it watches.
import { dirname } from 'node:path';
import { reachableNodes } from '../../engine/plan.js';
import { referencesIn } from '../../engine/references.js';
import { readPathKind, resolveInside } from '../../system/files/files.js';
import { type Check, fail, pass, warn } from './doctorCheck.js';
import type { ExaminedRecipe } from './examinedRecipe.js';
import { createFindingsCheck, filterByCode, unreadableFileCodes } from './runtime.js';

export function examineLibraries(libraries: ReadonlyMap<string, string>): Check {
  const missing = [...libraries].filter(([, dir]) => readPathKind(dir) !== 'directory').map(([name, dir]) => `${name} (${dir})`);
  if (missing.length > 0) return fail('fixtures.libraries', `There is no directory of the library ${missing.join(', ')}.`);
  return pass(
    'fixtures.libraries',
    libraries.size === 0 ? 'The project names no libraries.' : `Its libraries are there: ${[...libraries.keys()].join(', ')}.`,
  );
}

export function examineUses(subject: ExaminedRecipe): Check[] {
  const unread = filterByCode(subject.errors, unreadableFileCodes);
  return [
    createFindingsCheck(unread, { id: 'fixtures.uses', passMessage: 'All that it calls can be read.' }),
    ...examineWatched(subject),
  ];
}

// The file itself may come later; its directory had better be there.
function examineWatched({ loaded, capabilities, projectRoot }: ExaminedRecipe): Check[] {
  const regions = loaded ? [loaded.plan.main, ...(loaded.plan.teardown ? [loaded.plan.teardown] : [])] : [];
  const nodes = regions.flatMap((region) => [...reachableNodes(region)].map(({ node }) => node.recipe));
  const paths = new Set(nodes.flatMap((node) => capabilities.registry.get(node.action)?.watchedFile?.(node) ?? []));
  const known = [...paths].filter((path) => referencesIn(path).length === 0);
  const lost = known.filter((path) => readPathKind(dirname(resolveInside(projectRoot, path) ?? path)) !== 'directory');
  if (lost.length > 0) return [warn('fixtures.watched', `There is no directory yet for what it watches: ${lost.join(', ')}.`)];
  return known.length === 0 ? [] : [pass('fixtures.watched', `What it watches can be found: ${known.join(', ')}.`)];
}
