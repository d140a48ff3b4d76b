// Values given at the call, made what their declarations say; a value that cannot be that is refused.
import { type ArgType, asBoolean, checkDeclarations, type Declared, isInteger, isNumber } from './declarations.js';
import { TemplateError } from './templateError.js';

export type GivenValues = Readonly<Record<string, unknown>>;

/** Declared values that are given are made what they should be; others pass as they are. */
export function coerceArgs(declarations: Declared, values: GivenValues): Record<string, unknown> {
  return coerceTypes(new Map(checkDeclarations(declarations).map(({ name, type }) => [name, type])), values);
}

export function coerceTypes(types: ReadonlyMap<string, ArgType>, values: GivenValues): Record<string, unknown> {
  // A definition, not an assignment: `__proto__` is a name like any other here.
  const coerced: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) coerced[name] = coerce(name, types.get(name) ?? { kind: 'string' }, value);
  return { ...coerced };
}

function coerce(name: string, type: ArgType, value: unknown): unknown {
  if (type.kind === 'string') return value;
  if (value === null || value === undefined) return '';
  const made = makers[type.kind](value, type);
  if (made !== undefined) return made;
  throw new TemplateError('template.invalid_value', `Argument ${name} must be ${wanted(type)}.`);
}

type Maker = (value: unknown, type: ArgType) => unknown;

const makers: Readonly<Record<Exclude<ArgType['kind'], 'string'>, Maker>> = {
  path: String,
  int: (value) => (isInteger(value) ? String(value).trim() : undefined),
  number: (value) => (isNumber(value) ? String(value).trim() : undefined),
  bool: (value) => asBoolean(value)?.toString(),
  array: asArray,
  enum: (value, type) => (type.kind === 'enum' && type.members.includes(String(value)) ? String(value) : undefined),
};

function asArray(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // SyntaxError: it is no list, which is what the caller is told.
    return undefined;
  }
}

function wanted(type: ArgType): string {
  if (type.kind === 'enum') return `one of: ${type.members.join(', ')}`;
  const words = { int: 'an integer', number: 'a number', bool: 'a boolean', array: 'an array', path: 'a path', string: 'a text' };
  return words[type.kind];
}
