// Collects the authored recipe of a command and its imports, as context for a program that asks a language model.
import { basename, dirname, relative } from 'node:path';
import type { RawRecipe } from './model.js';
import { extendChain, parseImportBindings, type RecipeLibrary, type RecipeSource } from './recipeImports.js';

export type ContextRecord = {
  name: string;
  file: string;
  role: 'entry' | 'import';
  depth: number;
  /** The import aliases from the entry recipe to this recipe. */
  import_path: readonly string[];
  alias?: string;
  recipe: RawRecipe;
  you_are_here?: true;
  you_are_here_path?: string;
};

/** Returns an empty list when the recipe opts out. */
export function recipeContext(entry: RecipeSource, library: RecipeLibrary): ContextRecord[] {
  const { actor_context: setting } = entry.raw ?? {};
  return setting === false || setting === 'off' ? [] : collectRecords(entry, library, { aliases: [], chain: [] });
}

type ImportTrail = { aliases: readonly string[]; chain: readonly string[] };

function collectRecords(
  { file, name, raw }: RecipeSource,
  library: RecipeLibrary,
  { aliases, chain }: ImportTrail,
): ContextRecord[] {
  if (!raw) return [];
  const extendedChain = extendChain(chain, file);
  const alias = aliases.at(-1);
  const record: ContextRecord = {
    name,
    file,
    role: alias === undefined ? 'entry' : 'import',
    depth: aliases.length,
    import_path: aliases,
    ...(alias === undefined ? {} : { alias }),
    recipe: raw,
  };
  const imported = Object.entries(parseImportBindings(raw) ?? {}).flatMap(([to, binding]) => {
    const source = library(typeof binding === 'string' ? binding : binding.from, file);
    return source ? collectRecords(source, library, { aliases: [...aliases, to], chain: extendedChain }) : [];
  });
  return [record, ...imported];
}

/** Linux limits one argument to 128 KiB, and the prompt is in the same argument. */
const maxContextBytes = 96_000;

/**
 * Prints one record per line. `at` has the aliases of the recipe with the command. Paths are relative to the folder of the entry
 * recipe.
 */
export function contextLines(records: readonly ContextRecord[], at: readonly string[]): string {
  const folder = dirname(records[0]?.file ?? '');
  const here = records.findIndex(({ import_path: path }) => path.join('/') === at.join('/'));
  const marked = records.map((record, index) => {
    const mark = index === here ? { you_are_here: true, you_are_here_path: at.join('/') } : {};
    return { ...record, file: relative(folder, record.file), ...mark };
  });
  const lines = formatLines(marked);
  return Buffer.byteLength(lines) <= maxContextBytes ? lines : formatLines(marked.map(({ recipe: _, ...rest }) => rest));
}

// Double braces begin a reference in a compiled recipe. In JSON, "{{" occurs only in strings, where an escape can replace a
// brace.
function formatLines(records: readonly object[]): string {
  return records.map((record) => JSON.stringify(record).replaceAll('{{', '{\\u007b')).join('\n');
}

/** Whether the program reads a context after its prompt. */
export function isModelCommand(words: readonly string[]): boolean {
  return findPromptIndex(words) !== undefined;
}

/** Adds the context to the prompt. The words of other programs stay unchanged. */
export function withContext(words: readonly string[], context: string | undefined): string[] {
  const at = context === undefined ? undefined : findPromptIndex(words);
  return words.map((word, index) => (index === at ? `${word}\n\n${context}` : word));
}

// The prompt is the word after the flag, or the last word when options follow the flag.
function findPromptIndex([program = '', ...words]: readonly string[]): number | undefined {
  const flag = words.findIndex((word) => word === '-p' || word === '--print');
  if (basename(program) !== 'pi' || flag === -1) return undefined;
  const isPrompt = (index: number): boolean => index > flag && words[index]?.startsWith('-') === false;
  const at = [flag + 1, words.length - 1].find(isPrompt);
  return at === undefined ? undefined : at + 1;
}
