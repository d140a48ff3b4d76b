// Parses declared arguments, `name[:type][=default]`. Accepts the same invalid spellings as the reference implementation.
import { TemplateError } from './templateError.js';

export type ArgType =
  | { kind: 'string' | 'path' | 'int' | 'number' | 'bool' | 'array' }
  | { kind: 'enum'; members: readonly string[] };

export type ArgDeclaration = { name: string; type: ArgType; default?: string };

/** The `args` of a template: a list, or one string with commas. */
export type ArgDeclarations = string | readonly unknown[] | undefined;

export function parseDeclarations(declared: ArgDeclarations): ArgDeclaration[] {
  if (declared === undefined) return [];
  const items = typeof declared === 'string' ? splitList(declared) : declared.filter((item) => typeof item === 'string');
  return items.map(parseDeclaration).filter(({ name }) => name !== '');
}

/** @throws TemplateError when an argument is declared twice, or a default does not match its type */
export function checkDeclarations(declared: ArgDeclarations): ArgDeclaration[] {
  const declarations = parseDeclarations(declared);
  const names = declarations.map(({ name }) => name);
  const duplicates = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (duplicates.length > 0)
    throw new TemplateError('template.duplicate_argument', `Duplicate argument name(s): ${duplicates.join(', ')}`);
  for (const { name, type, default: defaultText } of declarations) {
    if (defaultText === undefined || type.kind === 'array' || isValidDefault(type, defaultText)) continue;
    throw new TemplateError('template.invalid_default', `Invalid default for ${name}:${type.kind}`);
  }
  return declarations;
}

/** Prints the canonical spelling, in which a string has no type. */
export function printDeclaration({ name, type }: ArgDeclaration): string {
  if (type.kind === 'string') return name;
  return type.kind === 'enum' ? `${name}:enum(${type.members.join(',')})` : `${name}:${type.kind}`;
}

// The first equals sign ends name and type, even inside an enum.
function parseDeclaration(text: string): ArgDeclaration {
  const equals = text.indexOf('=');
  const head = equals === -1 ? text : text.slice(0, equals);
  const colon = head.indexOf(':');
  const name = (colon === -1 ? head : head.slice(0, colon)).trim();
  const type = parseType(colon === -1 ? '' : head.slice(colon + 1).trim());
  return { name, type, ...(equals === -1 ? {} : { default: text.slice(equals + 1).trim() }) };
}

const plainTypes = ['string', 'path', 'int', 'number', 'bool', 'array'] as const;

export function parseType(text: string): ArgType {
  const kind = plainTypes.find((known) => known === text);
  if (kind !== undefined) return { kind };
  const members = /^enum\((.*)\)$/s
    .exec(text)?.[1]
    ?.split(',')
    .map((member) => member.trim());
  const nonEmptyMembers = members?.filter((member) => member !== '') ?? [];
  return nonEmptyMembers.length > 0 ? { kind: 'enum', members: nonEmptyMembers } : { kind: 'string' };
}

export function splitList(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth <= 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function isValidDefault(type: ArgType, text: string): boolean {
  if (type.kind === 'int') return isInteger(text);
  if (type.kind === 'number') return isNumber(text);
  if (type.kind === 'bool') return parseBoolean(text) !== undefined;
  return type.kind === 'enum' ? type.members.includes(text) : true;
}

export function isInteger(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value.trim());
}

function isNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && /^-?(\d+(\.\d+)?|\.\d+)$/.test(value.trim());
}

function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['true', '1', 'yes'].includes(text)) return true;
  return ['false', '0', 'no'].includes(text) ? false : undefined;
}

// Converts the values of a call to their declared types, and throws a TemplateError for a value that does not match.

export type CallerValues = Readonly<Record<string, unknown>>;

/** Converts the values of declared arguments. Other values stay unchanged. */
export function coerceArgs(declarations: ArgDeclarations, values: CallerValues): Record<string, unknown> {
  return coerceValues(new Map(checkDeclarations(declarations).map(({ name, type }) => [name, type])), values);
}

export function coerceValues(types: ReadonlyMap<string, ArgType>, values: CallerValues): Record<string, unknown> {
  // Without a prototype, an assignment to the key `__proto__` creates an ordinary key.
  const coerced: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values))
    coerced[name] = coerceValue(name, types.get(name) ?? { kind: 'string' }, value);
  return { ...coerced };
}

function coerceValue(name: string, type: ArgType, value: unknown): unknown {
  if (type.kind === 'string') return value;
  if (value === null || value === undefined) return '';
  const coerced = coercers[type.kind](value, type);
  if (coerced !== undefined) return coerced;
  throw new TemplateError('template.invalid_value', `Argument ${name} must be ${describeType(type)}.`);
}

type Coercer = (value: unknown, type: ArgType) => unknown;

const coercers: Readonly<Record<Exclude<ArgType['kind'], 'string'>, Coercer>> = {
  path: String,
  int: (value) => (isInteger(value) ? String(value).trim() : undefined),
  number: (value) => (isNumber(value) ? String(value).trim() : undefined),
  bool: (value) => parseBoolean(value)?.toString(),
  array: parseArray,
  enum: (value, type) => (type.kind === 'enum' && type.members.includes(String(value)) ? String(value) : undefined),
};

function parseArray(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // SyntaxError: the string is not a list. The caller reports it.
    return undefined;
  }
}

function describeType(type: ArgType): string {
  if (type.kind === 'enum') return `one of: ${type.members.join(', ')}`;
  const typeNames = {
    int: 'an integer',
    number: 'a number',
    bool: 'a boolean',
    array: 'an array',
    path: 'a path',
    string: 'a string',
  };
  return typeNames[type.kind];
}
