// Splits a command template into the words of a process and replaces their placeholders. No shell is involved.
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { type ArgDeclarations, checkDeclarations, coerceValues } from './argDeclarations.js';
import { type Substitution, substitute } from './placeholders.js';
import { TemplateError } from './templateError.js';
import { createCompatLeafValues, createValues, type Layer } from './templateValues.js';

export type ResolveOptions = {
  /** Behaves like the reference implementation, even where that is a mistake. */
  compat?: boolean;
  /** The base directory of a program with a relative path. */
  cwd?: string;
  args?: ArgDeclarations;
  defaults?: Layer;
  /** The directory that `~` stands for. */
  home?: string;
};

/** A command, or an object with a command and its `args` and `defaults`. */
export type CommandTemplate = string | { template?: unknown; args?: ArgDeclarations; defaults?: Layer };

export function resolveArgv(template: CommandTemplate, values: Layer, options: ResolveOptions = {}): string[] {
  const own = typeof template === 'string' ? { template } : template;
  const layers = { defaults: own.defaults ?? options.defaults, args: own.args ?? options.args };
  const text = typeof own.template === 'string' ? own.template : '';
  if (options.compat === true) {
    return bindCommand(text, { values: createCompatLeafValues({ callerValues: values, ...layers }) }, options);
  }
  const types = new Map(checkDeclarations(layers.args).map(({ name, type }) => [name, type]));
  const typedValues = createValues({ callerValues: coerceValues(types, values), ...layers });
  return bindCommand(text, { values: typedValues, objectsAsJson: true }, options);
}

export type BindOptions = Pick<ResolveOptions, 'cwd' | 'home'> & { emptyMessage?: string };

/** Drops arguments that are empty after the replacement, so that arguments can be optional. */
export function bindCommand(text: string, filling: Substitution, options: BindOptions = {}): string[] {
  return bindWords(splitCommand(text), filling, options);
}

export function bindWords(words: readonly string[], filling: Substitution, options: BindOptions = {}): string[] {
  const [program, ...args] = words;
  const { emptyMessage = 'Command template is required' } = options;
  if (program === undefined) throw new TemplateError('template.empty_command', emptyMessage);
  const path = resolveProgramPath(substitute(program, filling), options);
  return [path, ...args.map((word) => substitute(word, filling)).filter((word) => word !== '')];
}

/** Makes a relative path absolute. A bare name stays as it is, and the system looks it up in PATH. */
function resolveProgramPath(program: string, { cwd = '.', home = homedir() }: BindOptions): string {
  if (program === '~') return home;
  if (program.startsWith('~/')) return `${home}${program.slice(1)}`;
  return program.includes('/') && !isAbsolute(program) ? resolve(cwd, program) : program;
}

/** Splits a command line into words, before placeholders are replaced. Operators, globs and variables are plain text. */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  let isEscaped = false;
  for (const char of text) {
    if (isEscaped) {
      word = (word ?? '') + char;
      isEscaped = false;
    } else if (char === '\\' && quote !== "'") isEscaped = true;
    else if (char === quote) quote = undefined;
    else if (quote !== undefined) word = (word ?? '') + char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (isEscaped) word = `${word ?? ''}\\`;
  if (word !== undefined) words.push(word);
  return words;
}
