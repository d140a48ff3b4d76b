// Where a command comes from, for a program that asks a language model: the recipes around it, as their authors wrote them.
import { basename } from 'node:path';
import { bindingsOf, extendChain, type Library, type RecipeSource } from './recipeImports.js';
import type { Raw } from './templateRecipe.js';

export type ContextRecord = {
  name: string;
  file: string;
  role: 'entry' | 'import';
  depth: number;
  /** The aliases that lead to it. */
  import_path: readonly string[];
  alias?: string;
  recipe: Raw;
  you_are_here?: true;
  you_are_here_path?: string;
};

/** None when the recipe opts out. */
export function recipeContext(entry: RecipeSource, library: Library): ContextRecord[] {
  const { actor_context: wanted } = entry.raw ?? {};
  return wanted === false || wanted === 'off' ? [] : recordsOf(entry, library, { aliases: [], chain: [] });
}

type Way = { aliases: readonly string[]; chain: readonly string[] };

function recordsOf({ file, name, raw }: RecipeSource, library: Library, { aliases, chain }: Way): ContextRecord[] {
  if (!raw) return [];
  const longer = extendChain(chain, file);
  const alias = aliases.at(-1);
  const own: ContextRecord = {
    ...{ name, file, role: alias === undefined ? 'entry' : 'import', depth: aliases.length, import_path: aliases },
    ...(alias === undefined ? {} : { alias }),
    recipe: raw,
  };
  const imported = Object.entries(bindingsOf(raw) ?? {}).flatMap(([to, binding]) => {
    const source = library(typeof binding === 'string' ? binding : binding.from, file);
    return source ? recordsOf(source, library, { aliases: [...aliases, to], chain: longer }) : [];
  });
  return [own, ...imported];
}

/** Only `pi` reads it, after the prompt that it is asked; the first record that matches is where the command stands. */
export function withContext(argv: readonly string[], records: readonly ContextRecord[], here = records[0]?.file): string[] {
  const [program = ''] = argv;
  const at = argv.findIndex((word) => word === '-p' || word === '--print');
  if (basename(program) !== 'pi' || at === -1 || at + 1 >= argv.length || records.length === 0) return [...argv];
  const first = records.findIndex(({ file }) => file === here);
  const lines = records.map((record, index) => {
    const mark = index === first ? { you_are_here: true, you_are_here_path: record.import_path.join('/') } : {};
    return JSON.stringify({ ...record, ...mark });
  });
  return argv.map((word, index) => (index === at + 1 ? `${word}\n\n${lines.join('\n')}` : word));
}
