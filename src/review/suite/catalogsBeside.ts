// The flow catalogs and recipe libraries that lie beside the documents of a suite: nobody has to call them.
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { readFile } from '../../check/readFile.js';
import { flowCatalog } from '../../formats/classic/catalog.js';
import { libraryIds, taskLocal } from '../../formats/modern/library.js';
import { filesBelow, findFiles, kindOf } from '../../system/files.js';

/** `catalogs` as they were written, `libraryRecipes` by their ids. Documents of another machine have nothing beside them here. */
export function catalogsBeside(documents: readonly string[]): { catalogs: object[]; libraryRecipes: string[] } {
  const folders = [...new Set(documents.map((file) => dirname(file)))].filter((folder) => kindOf(folder) === 'directory');
  const outermost = folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}${sep}`)));
  const files = outermost.flatMap((folder) => findFiles(folder, ['**/*.flows.json'], createRequire(import.meta.url)));
  const read = files.flatMap((file) => readFile(file).document ?? []).filter((document) => flowCatalog.detect(document));
  return { catalogs: read.map(({ value }) => value as object), libraryRecipes: folders.flatMap(inLibrary) };
}

function inLibrary(folder: string): string[] {
  const root = join(folder, taskLocal.folder);
  const files = filesBelow(join(root, 'recipes')).map((file) => join('recipes', file));
  return [...libraryIds({ name: taskLocal.name, root, files }).ids.keys()];
}
