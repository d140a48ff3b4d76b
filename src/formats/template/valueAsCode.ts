// Whether a value of a command would be read as code by the program it is given to.
import { findCodeReferences } from '../../shell/codeReferences.js';
import { placeholdersIn } from './placeholdersIn.js';

export type ValueAsCode = { name: string; reader: string };

/** Where the files of a program lie may be a value: that is what parameters are for. Which program runs, and what it says, may not. */
export function valueAsCode(argv: unknown): ValueAsCode | undefined {
  if (!Array.isArray(argv)) return undefined;
  const words = argv.map(String);
  if (!words.some((word) => word.includes('{'))) return undefined;
  // Judging takes a while, and recipes that import the same command ask for it again and again.
  const key = JSON.stringify(words);
  if (known.has(key)) return known.get(key);
  if (known.size > 2_000) known.clear();
  const judged = judge(words);
  known.set(key, judged);
  return judged;
}

const known = new Map<string, ValueAsCode | undefined>();

function judge(words: readonly string[]): ValueAsCode | undefined {
  const all = findCodeReferences({ argv: asReferences(words) }, { shellFields: [], bound: [] });
  // References of the recipe itself have a rule of their own.
  const found = all.find(({ name, reader, at }) => name.startsWith('values.') && !namesFile(words, Number(at[1]), reader));
  return found && { name: found.name.slice('values.'.length), reader: found.reader };
}

const readers = /^(the program that is run|node|deno|bun|python[\d.]*|perl|ruby|bash|sh|dash|ksh|zsh|fish)$/;

function namesFile(words: readonly string[], index: number, reader: string): boolean {
  const [word = '', before = ''] = [words[index], words[index - 1]];
  const isPath = word.replace(/\{[^{}]*\}/g, '').includes('/');
  return !before.startsWith('-') && !/\s/.test(word) && isPath && readers.test(reader);
}

/** Its placeholders as references, for those who judge what a program makes of its words. */
export function asReferences(words: readonly string[]): string[] {
  return words.map((word) => word.replace(/(?<!\{)\{([^{}]+)\}(?!\})/g, (as) => `{{values.${placeholdersIn(as)[0] ?? '_'}}}`));
}
