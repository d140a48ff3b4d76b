// Finds a value that the program of a command would read as code.
import { findCodeReferences } from '../../shell/findCodeReferences.js';
import { findPlaceholderNames } from './placeholders.js';

export type CodeValue = { name: string; reader: string };

/** Returns the first such value. The directory of a program may be a value. The program and the code that it runs may not. */
export function findValueAsCode(argv: unknown): CodeValue | undefined {
  if (!Array.isArray(argv)) return undefined;
  const words = argv.map(String);
  if (!words.some((word) => word.includes('{'))) return undefined;
  // Caches the result, because the check is slow and every recipe that imports the command repeats it.
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
  // The rule command.reference_in_interpreter checks the references of the recipe itself.
  const codeReference = references.find(
    ({ name, reader, at }) => name.startsWith('values.') && !isProgramFile(words, Number(at[1]), reader),
  );
  return codeReference && { name: codeReference.name.slice('values.'.length), reader: codeReference.reader };
}

const codeReaders = /^(the program that is run|node|deno|bun|python[\d.]*|perl|ruby|bash|sh|dash|ksh|zsh|fish)$/;

function isProgramFile(words: readonly string[], index: number, reader: string): boolean {
  const [word = '', previous = ''] = [words[index], words[index - 1]];
  const isPath = word.replace(/\{[^{}]*\}/g, '').includes('/');
  return !previous.startsWith('-') && !/\s/.test(word) && isPath && codeReaders.test(reader);
}

/** Rewrites placeholders as `{{values.<name>}}`, which the shell rules understand. */
export function toReferences(words: readonly string[]): string[] {
  return words.map((word) =>
    word.replace(/(?<!\{)\{([^{}]+)\}(?!\})/g, (placeholder) => `{{values.${findPlaceholderNames(placeholder)[0] ?? '_'}}}`),
  );
}
