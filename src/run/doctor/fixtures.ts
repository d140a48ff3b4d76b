// Checks the files that a recipe reads: its catalogs, the recipes that it calls, its libraries, and the log files that it watches.
import { dirname } from 'node:path';
import { reachableNodes } from '../../engine/plan.js';
import { referencesIn } from '../../engine/references.js';
import { readPathKind, resolveInside } from '../../system/files/files.js';
import { type Check, fail, pass, warn } from './doctorCheck.js';
import type { ExaminedRecipe } from './examinedRecipe.js';
import { createFindingsCheck, filterByCode, unreadableFileCodes } from './runtime.js';

export function examineLibraries(libraries: ReadonlyMap<string, string>): Check {
  const missing = [...libraries].filter(([, dir]) => readPathKind(dir) !== 'directory').map(([name, dir]) => `${name} (${dir})`);
  if (missing.length > 0) return fail('fixtures.libraries', `There is no directory for the library ${missing.join(', ')}.`);
  return pass(
    'fixtures.libraries',
    libraries.size === 0
      ? 'The project names no libraries.'
      : `The directories of all libraries exist: ${[...libraries.keys()].join(', ')}.`,
  );
}

export function examineUses(examined: ExaminedRecipe): Check[] {
  const errors = filterByCode(examined.errors, unreadableFileCodes);
  return [
    createFindingsCheck(errors, {
      id: 'fixtures.uses',
      passMessage: 'Every catalog and recipe that the recipe uses can be read.',
    }),
    ...examineWatchedFiles(examined),
  ];
}

// A watched file may appear during the run. Its directory should exist before.
function examineWatchedFiles({ loaded, capabilities, projectRoot }: ExaminedRecipe): Check[] {
  const regions = loaded ? [loaded.plan.main, ...(loaded.plan.teardown ? [loaded.plan.teardown] : [])] : [];
  const nodes = regions.flatMap((region) => [...reachableNodes(region)].map(({ node }) => node.recipe));
  const paths = new Set(nodes.flatMap((node) => capabilities.registry.get(node.action)?.watchedFile?.(node) ?? []));
  const known = [...paths].filter((path) => referencesIn(path).length === 0);
  const withoutDirectory = known.filter(
    (path) => readPathKind(dirname(resolveInside(projectRoot, path) ?? path)) !== 'directory',
  );
  if (withoutDirectory.length > 0)
    return [warn('fixtures.watched', `The directory of a watched file does not exist yet: ${withoutDirectory.join(', ')}.`)];
  return known.length === 0 ? [] : [pass('fixtures.watched', `The directories of all watched files exist: ${known.join(', ')}.`)];
}
