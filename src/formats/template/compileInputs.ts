// The arguments a recipe asks for, as inputs: given by config, environment or command line, and typed where the author says so.
import type { ArgType } from './declarations.js';
import { type PublicArg, publicArgs } from './publicArgs.js';
import { isRunName } from './runNames.js';

export type InputJson = { type: 'string' | 'number' | 'boolean' | 'json'; required?: false; enum?: string[]; default?: unknown };

/** `lists`: those that are counted, and so must be there before anything runs. */
export function compileInputs(template: unknown, lists: ReadonlySet<string>): Record<string, InputJson> {
  return Object.fromEntries(publicArgs(withLists(template, lists)).map((arg) => [arg.name, inputOf(arg, lists)]));
}

// A list is read by its length and its items, of which no argument is derived.
function withLists(template: unknown, lists: ReadonlySet<string>): unknown {
  if (lists.size === 0) return template;
  const asked = [...lists].map((list) => `{${list}:array}`).join(' ');
  return typeof template === 'object' && template !== null && !Array.isArray(template)
    ? { ...template, recover: [asked, ...[(template as { recover?: unknown }).recover ?? []].flat()] }
    : { template, recover: [asked] };
}

function inputOf({ name, type, isRequired, default: value }: PublicArg, lists: ReadonlySet<string>): InputJson {
  const typed: InputJson = { type: lists.has(name) ? 'json' : kindOf(type) };
  if (type.kind === 'enum') typed.enum = [...type.members];
  // What a recipe asks about its own run is given by whoever runs it. A default stays in the template, whose author may refer to other values in it; only a list is counted before.
  if (lists.has(name) && Array.isArray(value)) typed.default = value;
  else if (!isRequired || isRunName(name)) typed.required = false;
  return typed;
}

function kindOf({ kind }: ArgType): InputJson['type'] {
  if (kind === 'int' || kind === 'number') return 'number';
  if (kind === 'bool') return 'boolean';
  return kind === 'array' ? 'json' : 'string';
}
