// The recipe that a native test names: from where the test lies, from the root of the project, or by the end of its path.
import { createRequire } from 'node:module';
import { isAbsolute, relative, resolve } from 'node:path';
import { didYouMean } from '../../document/didYouMean.js';
import { findFiles, isFile } from '../../system/files/files.js';
import { everyDocument } from './everyDocument.js';
import type { HostProject } from './hostProject.js';

/**
 * `folder` is where the test lies.
 * @throws when there is no such file, or the end of a path is that of several
 */
export function findRecipe(name: string, folder: string, { projectRoot, config }: HostProject): string {
  const places = [folder, projectRoot];
  const there = places.map((place) => resolve(place, name)).find(isFile);
  if (there !== undefined) return there;
  const named = JSON.stringify(name);
  const missing = `There is no recipe ${named} in ${places.join(' or in ')}`;
  // A path that says where it begins means that file and no other.
  if (isAbsolute(name) || /^\.{1,2}[\\/]/.test(name)) throw new Error(`${missing}.`);
  const patterns = [...everyDocument.filter((pattern) => !pattern.includes('.flows.')), ...[config.recipes ?? []].flat()];
  const files = findFiles(projectRoot, patterns, createRequire(import.meta.url));
  const paths = files.map((file) => relative(projectRoot, file).replaceAll('\\', '/'));
  const ending = paths.filter((path) => path.endsWith(`/${name}`));
  const [found] = ending;
  if (found !== undefined && ending.length === 1) return resolve(projectRoot, found);
  if (found !== undefined)
    throw new Error(
      `${missing}, and ${ending.length} recipes of the project end with it: ${ending.join(', ')}. Say more of the path.`,
    );
  const parts = name.split('/').length;
  const ends = [...new Set(paths.map((path) => path.split('/').slice(-parts).join('/')))];
  throw new Error(`${missing}, and no recipe of the project ends with it. ${didYouMean(name, ends)}`);
}
