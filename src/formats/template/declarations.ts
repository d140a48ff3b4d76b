// Declared arguments, `name[:type][=default]`, read as forgivingly as the reference does.
import { TemplateError } from './templateError.js';

export type ArgType =
  | { kind: 'string' | 'path' | 'int' | 'number' | 'bool' | 'array' }
  | { kind: 'enum'; members: readonly string[] };

export type Declaration = { name: string; type: ArgType; default?: string };

/** What a template may hold in `args`: a list, or one text with commas. */
export type Declared = string | readonly unknown[] | undefined;

export function parseDeclarations(declared: Declared): Declaration[] {
  if (declared === undefined) return [];
  const texts = typeof declared === 'string' ? splitList(declared) : declared.filter((one) => typeof one === 'string');
  return texts.map(parseDeclaration).filter(({ name }) => name !== '');
}

/** The same, and refuses what names an argument twice or gives it a default that it cannot have. */
export function checkDeclarations(declared: Declared): Declaration[] {
  const all = parseDeclarations(declared);
  const names = all.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (twice.length > 0) throw new TemplateError('template.duplicate_argument', `Duplicate argument name(s): ${twice.join(', ')}`);
  for (const { name, type, default: given } of all) {
    if (given === undefined || type.kind === 'array' || fits(type, given)) continue;
    throw new TemplateError('template.invalid_default', `Invalid default for ${name}:${type.kind}`);
  }
  return all;
}

/** As it is spelled canonically: plain texts have no type. */
export function printDeclaration({ name, type }: Declaration): string {
  if (type.kind === 'string') return name;
  return type.kind === 'enum' ? `${name}:enum(${type.members.join(',')})` : `${name}:${type.kind}`;
}

// The first sign of equality ends name and type, even inside of an enum.
function parseDeclaration(text: string): Declaration {
  const equals = text.indexOf('=');
  const head = equals === -1 ? text : text.slice(0, equals);
  const colon = head.indexOf(':');
  const name = (colon === -1 ? head : head.slice(0, colon)).trim();
  const type = parseType(colon === -1 ? '' : head.slice(colon + 1).trim());
  return { name, type, ...(equals === -1 ? {} : { default: text.slice(equals + 1).trim() }) };
}

const plain = ['string', 'path', 'int', 'number', 'bool', 'array'] as const;

export function parseType(text: string): ArgType {
  const kind = plain.find((known) => known === text);
  if (kind !== undefined) return { kind };
  const members = /^enum\((.*)\)$/s
    .exec(text)?.[1]
    ?.split(',')
    .map((member) => member.trim());
  const named = members?.filter((member) => member !== '') ?? [];
  return named.length > 0 ? { kind: 'enum', members: named } : { kind: 'string' };
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

function fits(type: ArgType, text: string): boolean {
  if (type.kind === 'int') return isInteger(text);
  if (type.kind === 'number') return isNumber(text);
  if (type.kind === 'bool') return asBoolean(text) !== undefined;
  return type.kind === 'enum' ? type.members.includes(text) : true;
}

export function isInteger(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && /^-?\d+$/.test(value.trim());
}

export function isNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' && /^-?(\d+(\.\d+)?|\.\d+)$/.test(value.trim());
}

export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['true', '1', 'yes'].includes(text)) return true;
  return ['false', '0', 'no'].includes(text) ? false : undefined;
}
