// The directory of the project in which runtime recipes save their state between runs: one file for each recipe.
import { join } from 'node:path';
import { RecipeError } from '../../evidence/recipeError.js';
import type { StateDir } from '../../formats/runtime/actions/projectHandlers.js';
import { readBytesIfThere, sha256, writeFileAtomically } from '../../system/files/files.js';

const folder = join('.recipewright', 'state');

export function openStateDir(projectRoot: string): StateDir {
  const fileOf = (recipe: string): string => join(projectRoot, folder, `${nameOf(recipe)}.json`);
  return {
    load(recipe) {
      const bytes = readBytesIfThere(fileOf(recipe));
      return bytes && parseState(bytes, recipe, fileOf(recipe));
    },
    save(recipe, state) {
      writeFileAtomically(fileOf(recipe), `${JSON.stringify({ recipe, state }, null, 2)}\n`);
    },
  };
}

// An id may contain any characters. Characters that file names cannot have are replaced, and the digest makes the name unique.
function nameOf(recipe: string): string {
  return `${recipe.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)}-${sha256(recipe).slice(0, 12)}`;
}

function parseState(bytes: Buffer, recipe: string, file: string): Record<string, unknown> {
  try {
    const stored = JSON.parse(bytes.toString()) as { recipe?: unknown; state?: unknown } | null;
    if (stored?.recipe === recipe && typeof stored.state === 'object' && stored.state !== null && !Array.isArray(stored.state))
      return stored.state as Record<string, unknown>;
  } catch {
    // SyntaxError: the error below reports it.
  }
  const message = `The state file ${file} is not the state of the recipe ${JSON.stringify(recipe)}. Correct the file, or delete it to start with an empty state.`;
  throw new RecipeError('runtime.broken_state', 'environment', message);
}
