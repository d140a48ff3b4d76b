// Replaces references in shell text by environment variables with their values. A value never becomes part of the text, and the variable
// is quoted for its place.

import { type ReferenceLookup, referencesAt, resolveReference, toReferenceText } from '../engine/references.js';
import { findShellCode } from './findShellCode.js';

/** The quotes around a reference. `nested`: a program reads the value as code, so no quoting is safe. */
type Quoting = 'bare' | 'double' | 'single' | 'nested';

export type ShellReference = {
  name: string;
  start: number;
  end: number;
  quoting: Quoting;
  /** The program that reads the value as code. */
  reader?: string;
  /** The program that would treat a value that begins with a dash as an option. */
  optionOf?: string;
  afterDollar?: true;
};

export function shellReferences(text: string): ShellReference[] {
  const references = referencesAt(text);
  if (references.length === 0) return [];
  const { slots, codeReaders, options } = findShellCode(text, references);
  return [...slots.entries()].flatMap(([index, { reference: name, start, end, quoting, afterDollar }]) => {
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
  let boundText = '';
  let at = 0;
  for (const [index, { name, start, end, quoting, reader, optionOf, afterDollar }] of shellReferences(text).entries()) {
    if (quoting === 'nested') throw new CodeReferenceError(name, reader ?? 'another interpreter');
    const value = toReferenceText(resolveReference(name, lookup));
    if (optionOf !== undefined) rejectOptionValue(name, value, optionOf);
    const variable = `RECIPE_VALUE_${index + 1}`;
    env[variable] = value;
    // A dollar sign right before the variable would change the expansion.
    const before = afterDollar && quoting !== 'single' ? `${text.slice(at, start - 1)}\\$` : text.slice(at, start);
    boundText += before + quoteByContext[quoting](variable);
    at = end;
  }
  return { text: boundText + text.slice(at), env };
}

const quoteByContext: Record<Exclude<Quoting, 'nested'>, (variable: string) => string> = {
  bare: (variable) => `"\${${variable}}"`,
  double: (variable) => `\${${variable}}`,
  single: (variable) => `'"\${${variable}}"'`,
};

/** Thrown for a value that would run as code. */
class CodeReferenceError extends Error {
  constructor(reference: string, reader: string) {
    super(
      `The value of {{${reference}}} would become code of another interpreter (${reader}). Pass the value in "env" or as a word of "argv".`,
    );
  }
}

/** Thrown for a value that a program would treat as an option. */
export class OptionValueError extends Error {}

export function rejectOptionValue(name: string, value: string, program: string): void {
  if (!value.startsWith('-')) return;
  const shortened = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  throw new OptionValueError(
    `{{${name}}} is ${JSON.stringify(shortened)}, which ${program} would treat as an option. Write "--" before the reference, or use another value.`,
  );
}
