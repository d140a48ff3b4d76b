// Reads a project file for a node. Refuses files outside the project, also behind links, and files that are too large.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { resolveInside } from '../../system/files/files.js';
import { readInside } from '../../system/files/readInside.js';

const maxFileBytes = 50_000_000;

/** Undefined when the file does not exist. */
export function readProjectFile(projectRoot: string, path: string): Buffer | undefined {
  const file = resolveInside(projectRoot, path);
  if (file === undefined) throw outsideProjectError(path);
  const read = readInside(projectRoot, file, maxFileBytes);
  if ('outside' in read) throw outsideProjectError(path);
  if ('missing' in read) return undefined;
  if ('size' in read)
    throw new RecipeError(
      'file.too_large',
      'action',
      `${JSON.stringify(path)} has ${read.size} bytes, more than the limit of ${maxFileBytes}.`,
    );
  if ('kind' in read) throw new RecipeError('file.not_a_file', 'action', `${JSON.stringify(path)} is ${read.kind}, not a file.`);
  if ('code' in read)
    throw new RecipeError('file.unreadable', 'environment', `${JSON.stringify(path)} cannot be read (${read.code}).`);
  return read.bytes;
}

function outsideProjectError(path: string): RecipeError {
  return new RecipeError(
    'file.outside_project',
    'action',
    `${JSON.stringify(path)} is outside the project. Use a path inside it.`,
  );
}

// Accepts paths that do not leave the project by their spelling. `readProjectFile` checks where links lead.

export const projectPath = z
  .string()
  .regex(/^(?![\\/]|[A-Za-z]:)(?!(.*[\\/])?\.\.([\\/]|$)).+$/s, 'must be a relative path inside the project');
