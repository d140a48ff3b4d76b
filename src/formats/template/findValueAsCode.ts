// Finds a value that the program of a command would read as code.
import { findCodeReferences } from '../../shell/findCodeReferences.js';
import { findPlaceholderNames } from './placeholders.js';

export type CodeValue = { name: string; reader: string };

/** The directory of a program may be a value. The program itself, and the code it runs, may not. */
export function findValueAsCode(argv: unknown): CodeValue | undefined {
  if (!Array.isArray(argv)) return undefined;
  const words = argv.map(String);
  if (!words.some((word) => word.includes('{'))) return undefined;
  // The check is slow, and every recipe that imports the command repeats it.
  const key = JSON.stringify(words);
  if (cachedResults.has(key)) return cachedResults.get(key);
  if (cachedResults.size > 2_000) cachedResults.clear();
  const result = findCodeValue(words);
  cachedResults.set(key, result);
  return result;
}

const cachedResults = new Map<string, CodeValue | undefined>();

function findCodeValue(words: readonly string[]): CodeValue | undefined {
  const references = findCodeReferences({ argv: toReferences(words) }, { shellFields: [], bound: [] });
  // References of the recipe itself have a rule of their own: command.reference_in_interpreter.
  const found = references.find(
    ({ name, reader, at }) => name.startsWith('values.') && !isProgramFile(words, Number(at[1]), reader),
  );
  return found && { name: found.name.slice('values.'.length), reader: found.reader };
}

const codeReaders = /^(the program that is run|node|deno|bun|python[\d.]*|perl|ruby|bash|sh|dash|ksh|zsh|fish)$/;

function isProgramFile(words: readonly string[], index: number, reader: string): boolean {
  const [word = '', before = ''] = [words[index], words[index - 1]];
  const isPath = word.replace(/\{[^{}]*\}/g, '').includes('/');
  return !before.startsWith('-') && !/\s/.test(word) && isPath && codeReaders.test(reader);
}

/** Writes placeholders as references, which the shell rules understand. */
export function toReferences(words: readonly string[]): string[] {
  return words.map((word) =>
    word.replace(/(?<!\{)\{([^{}]+)\}(?!\})/g, (as) => `{{values.${findPlaceholderNames(as)[0] ?? '_'}}}`),
  );
}
