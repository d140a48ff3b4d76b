// Valid documents that tests change into invalid ones: those of the repository, and published ones if the shared corpus exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { officialDeclarations, type Vocabulary } from '../../src/actions/vocabulary.js';
import { checkFile, type FileCheck } from '../../src/check/checkFile.js';
import { extensionActions } from '../../src/registry/registry.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['examples', 'test/corpus/good', 'test/corpus/modern', '../shared/corpus/recipe-v1/recipes'];

/** All official actions, including those that this host cannot execute. */
export const vocabulary: Vocabulary = new Map(
  [...officialDeclarations, ...extensionActions].map((action) => [action.name, action]),
);

/** Accepts any precondition, because these tests are not about preconditions. */
export const declared = {
  vocabulary,
  preconditions: { has: () => true, size: 0 } as unknown as ReadonlySet<string>,
  projectRoot: root,
};

export function goodDocuments(): { file: string; text: string; check: FileCheck }[] {
  return folders
    .flatMap((folder) => recipesIn(join(root, folder)))
    .flatMap((file) => {
      const check = checkFile(file, { ...declared, projectRoot: join(file, '..') });
      const isValid = check.compiled?.kind === 'recipe' && !check.findings.some(({ severity }) => severity === 'error');
      return isValid ? [{ file, text: readFileSync(file, 'utf8'), check }] : [];
    });
}

function recipesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.recipe.json') && !name.includes('node_modules') && !name.includes('recipe-results'))
    .map((name) => join(folder, name));
}
