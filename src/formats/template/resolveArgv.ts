// A command template and its values to the words a process is started with. No shell is involved at any point.
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { coerceTypes } from './coerceArgs.js';
import { checkDeclarations, type Declared } from './declarations.js';
import { splitCommand } from './splitCommand.js';
import { type Substitution, substitute } from './substitute.js';
import { TemplateError } from './templateError.js';
import { flatLeafValues, honestValues, type Layer } from './templateValues.js';

export type ResolveOptions = {
  /** Behaves as the reference does, case by case. */
  compat?: boolean;
  /** What a program named by a relative path is relative to. */
  cwd?: string;
  args?: Declared;
  defaults?: Layer;
  /** Where `~` leads. */
  home?: string;
};

/** A command, or an object that holds one, with its `args` and `defaults`. */
export type CommandTemplate = string | { template?: unknown; args?: Declared; defaults?: Layer };

export function resolveArgv(template: CommandTemplate, values: Layer, options: ResolveOptions = {}): string[] {
  const own = typeof template === 'string' ? { template } : template;
  const layers = { defaults: own.defaults ?? options.defaults, args: own.args ?? options.args };
  const text = typeof own.template === 'string' ? own.template : '';
  if (options.compat === true) {
    return bindCommand(text, { values: flatLeafValues({ given: values, ...layers }) }, options);
  }
  const types = new Map(checkDeclarations(layers.args).map(({ name, type }) => [name, type]));
  const filled = honestValues({ given: coerceTypes(types, values), ...layers });
  return bindCommand(text, { values: filled, honest: true }, options);
}

export type BindOptions = Pick<ResolveOptions, 'cwd' | 'home'> & { emptyMessage?: string };

/** An argument that comes out empty is left out: that is how optional ones are written. */
export function bindCommand(text: string, filling: Substitution, options: BindOptions = {}): string[] {
  return bindWords(splitCommand(text), filling, options);
}

export function bindWords(words: readonly string[], filling: Substitution, options: BindOptions = {}): string[] {
  const [program, ...args] = words;
  const { emptyMessage = 'Command template is required' } = options;
  if (program === undefined) throw new TemplateError('template.empty_command', emptyMessage);
  const path = programPath(substitute(program, filling), options);
  return [path, ...args.map((word) => substitute(word, filling)).filter((word) => word !== '')];
}

/** What a program is called by: a name is looked up in PATH, a path is made whole. */
function programPath(program: string, { cwd = '.', home = homedir() }: BindOptions): string {
  if (program === '~') return home;
  if (program.startsWith('~/')) return `${home}${program.slice(1)}`;
  return program.includes('/') && !isAbsolute(program) ? resolve(cwd, program) : program;
}
