// A file of the project that a node looks at: inside of it wherever links lead, and of a size that can be looked at.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { resolveInside } from '../../system/files/files.js';
import { readInside } from '../../system/files/readInside.js';

const maxFileBytes = 50_000_000;

/** Its bytes, or undefined when there is none. */
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
      `${JSON.stringify(path)} has ${read.size} bytes, more than ${maxFileBytes}.`,
    );
  if ('kind' in read) throw new RecipeError('file.not_a_file', 'action', `${JSON.stringify(path)} is ${read.kind}, not a file.`);
  if ('code' in read)
    throw new RecipeError('file.unreadable', 'environment', `${JSON.stringify(path)} cannot be read (${read.code}).`);
  return read.bytes;
}

function outsideProjectError(path: string): RecipeError {
  return new RecipeError('file.outside_project', 'action', `${JSON.stringify(path)} leads out of the project.`);
}

// A path inside of the project, as far as its spelling tells; links are looked at when it is opened.

export const projectPath = z
  .string()
  .regex(/^(?![\\/]|[A-Za-z]:)(?!(.*[\\/])?\.\.([\\/]|$)).+$/s, 'must be a relative path that stays inside of the project');
