// Where manifests keep their state between runs: one file for each in the project's own directory.
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

// Ids are free texts: what could not be a file name is left out, and the digest keeps two of them apart.
function nameOf(recipe: string): string {
  return `${recipe.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)}-${sha256(recipe).slice(0, 12)}`;
}

function parseState(bytes: Buffer, recipe: string, file: string): Record<string, unknown> {
  try {
    const stored = JSON.parse(bytes.toString()) as { recipe?: unknown; state?: unknown } | null;
    if (stored?.recipe === recipe && typeof stored.state === 'object' && stored.state !== null && !Array.isArray(stored.state))
      return stored.state as Record<string, unknown>;
  } catch {
    // SyntaxError: told below.
  }
  const message = `${file} does not hold the state of ${JSON.stringify(recipe)} that a former run would have left. Correct it, or remove it to begin anew.`;
  throw new RecipeError('runtime.broken_state', 'environment', message);
}
