// References inside shell text. A value never becomes part of the text: it travels in an environment variable, quoted where it stands.

import { type ReferenceLookup, referencesAt, resolveReference, toReferenceText } from '../engine/references.js';
import { findShellCode } from './shellCode.js';

/** How the shell reads the place of a reference; in `nested` a program reads it again as code, and no quoting is safe. */
export type Quoting = 'bare' | 'double' | 'single' | 'nested';

export type ShellReference = {
  name: string;
  start: number;
  end: number;
  quoting: Quoting;
  /** Who reads it as code. */
  reader?: string;
  /** The program that would take a value with a dash for an option. */
  optionOf?: string;
  afterDollar?: true;
};

export function shellReferences(text: string): ShellReference[] {
  const references = referencesAt(text);
  if (references.length === 0) return [];
  const { marks, codeReaders, options } = findShellCode(text, references);
  return [...marks.entries()].flatMap(([index, { reference: name, start, end, quoting, afterDollar }]) => {
    if (name === undefined) return [];
    const [reader, optionOf] = [codeReaders.get(index), options.get(index)];
    const found: ShellReference = { name, start, end, quoting: reader === undefined ? quoting : 'nested' };
    if (reader !== undefined) found.reader = reader;
    if (optionOf !== undefined) found.optionOf = optionOf;
    if (afterDollar) found.afterDollar = true;
    return [found];
  });
}

export function bindShell(text: string, lookup: ReferenceLookup): { text: string; env: Record<string, string> } {
  const env: Record<string, string> = {};
  let bound = '';
  let at = 0;
  for (const [index, { name, start, end, quoting, reader, optionOf, afterDollar }] of shellReferences(text).entries()) {
    if (quoting === 'nested') throw new CodeReferenceError(name, reader ?? 'another interpreter');
    const value = toReferenceText(resolveReference(name, lookup));
    if (optionOf !== undefined) rejectOptionValue(name, value, optionOf);
    const variable = `RECIPE_VALUE_${index + 1}`;
    env[variable] = value;
    // A dollar right before our variable would make it another expansion.
    const before = afterDollar && quoting !== 'single' ? `${text.slice(at, start - 1)}\\$` : text.slice(at, start);
    bound += before + quoteByContext[quoting](variable);
    at = end;
  }
  return { text: bound + text.slice(at), env };
}

const quoteByContext: Record<Exclude<Quoting, 'nested'>, (variable: string) => string> = {
  bare: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  single: (variable) => `'"\${${variable}}"'`,
};

/** A value would be run as code. */
export class CodeReferenceError extends Error {
  constructor(reference: string, reader: string) {
    super(`{{${reference}}} stands where another interpreter reads it as code (${reader}).`);
  }
}

/** A value would be taken for an option. */
export class OptionValueError extends Error {}

export function rejectOptionValue(name: string, value: string, program: string): void {
  if (!value.startsWith('-')) return;
  const shown = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  throw new OptionValueError(
    `{{${name}}} is ${JSON.stringify(shown)}, which ${program} would take for an option. Write "--" before it, or give another value.`,
  );
}
