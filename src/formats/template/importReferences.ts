// References to imports, {alias.defaults.key} and the like, filled in when a recipe is loaded: before its template is read at all.
import type { Imported } from './recipeImports.js';
import { TemplateError } from './templateError.js';
import { isObject } from './templateNode.js';

type Imports = ReadonlyMap<string, Imported>;
type Pointer = readonly (string | number)[];

/** Over values, never over keys. */
export function fillReferences(value: unknown, imports: Imports, pointer: Pointer = []): unknown {
  if (imports.size === 0) return value;
  if (typeof value === 'string') return fillText(value, imports, pointer);
  if (Array.isArray(value)) return value.map((item, index) => fillReferences(item, imports, [...pointer, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillReferences(item, imports, [...pointer, key])]));
}

// A text that is nothing but one reference becomes what it refers to, of whatever type that is.
function fillText(text: string, imports: Imports, pointer: Pointer): unknown {
  if (!text.includes('{')) return text;
  const whole = /^\{([^{}]+)\}$/.exec(text)?.[1];
  if (whole !== undefined) {
    const found = evaluate(whole, imports, pointer);
    return found ? found.value : text;
  }
  return text.replace(/\{([^{}]+)\}/g, (as, content: string) => {
    const found = evaluate(content, imports, pointer);
    return found ? String(found.value ?? '') : as;
  });
}

type Found = { value: unknown };

/** Undefined for what is no reference to an import, and so is left to the command template. */
function evaluate(content: string, imports: Imports, pointer: Pointer): Found | undefined {
  const [, asked = '', yes = '', no = ''] = /^([\w.-]+)\?(.*?):(.*)$/s.exec(content) ?? [];
  const condition = read(asked, imports);
  if (condition) return literal(isTrue(condition.value) ? yes : no, imports);
  const [, wanted = '', fallback = ''] = /^([\w.-]+)=(.*)$/s.exec(content) ?? [];
  const optional = read(wanted, imports);
  if (optional) return optional.value === undefined || optional.value === null ? literal(fallback, imports) : optional;
  const found = read(content, imports);
  if (found && found.value === undefined) {
    throw new TemplateError('template.unknown_reference', `Unknown recipe import reference: ${content}`, { pointer });
  }
  return found;
}

function literal(text: string, imports: Imports): Found {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  return quoted ? { value: quoted[2] } : (read(text, imports) ?? { value: text });
}

/** The value is undefined when the import is known and does not have it. */
function read(path: string, imports: Imports): Found | undefined {
  for (const [alias, { file, recipe, defaults, values }] of imports) {
    if (!path.startsWith(`${alias}.`)) continue;
    const [section, ...keys] = path.slice(alias.length + 1).split('.');
    if (section === 'name' && keys.length === 0) return { value: recipe.name };
    if (section === 'file' && keys.length === 0) return { value: file };
    if (section === 'defaults') return { value: inside({ ...(recipe.defaults as object | undefined), ...defaults }, keys) };
    if (section === 'values') return { value: inside(values, keys) };
  }
  return undefined;
}

function inside(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

// Not what the command template takes for false: here the text "false" is true.
function isTrue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}
