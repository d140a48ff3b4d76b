// The values that fill in a template: those of the caller, of the repetition around it, and the author's defaults.
import { type ArgDeclarations, parseDeclarations } from './argDeclarations.js';

export type Layer = Readonly<Record<string, unknown>>;

export type TemplateValues = {
  has(name: string): boolean;
  read(name: string): unknown;
  /** The value that conditions read. */
  peek(name: string): unknown;
  /** The author of the template wrote the text, so it may refer to other values. */
  isAuthored(name: string): boolean;
};

export type Layers = {
  callerValues: Layer;
  /** Values that a recipe sets for an import, which no caller overrides. */
  fixed?: Layer | undefined;
  defaults?: Layer | undefined;
  loop?: Layer | undefined;
  args?: ArgDeclarations;
};

/** A value of the caller is data and is never read as a template. Only own properties are values. */
export function createValues({ callerValues, fixed = {}, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const layers = [loop, fixed, callerValues, defaults, readArgDefaults(args)];
  const layerOf = (name: string): Layer | undefined => layers.find((layer) => Object.hasOwn(layer, name));
  const isAuthored = (name: string): boolean => ![loop, callerValues].includes(layerOf(name) ?? {});
  const resolveName = (name: string): string =>
    resolveAlias(name, (one) => (isAuthored(one) ? layerOf(one)?.[one] : undefined), layerOf);
  const read = (name: string): unknown => layerOf(resolveName(name))?.[resolveName(name)];
  return {
    has: (name) => layerOf(name) !== undefined,
    read,
    peek: read,
    isAuthored: (name) => isAuthored(resolveName(name)),
  };
}

/** A default that is only `{name}` is that value, with its type. */
function resolveAlias(name: string, readAuthored: (name: string) => unknown, findLayer: (name: string) => unknown): string {
  const visited = [name];
  for (let at = name; ; ) {
    const value = readAuthored(at);
    const next = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (next === undefined || visited.includes(next) || findLayer(next) === undefined) return at;
    visited.push(next);
    at = next;
  }
}

/** The name in a text that is only `{name}`. */
export function parsePlaceholderName(text: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_-]*)\}$/.exec(text)?.[1];
}

/** As in the reference: one flat object with a visible prototype, in which every text is a template. */
export function createCompatValues({ callerValues, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const flat: Record<string, unknown> = { ...readArgDefaults(args), ...defaults, ...loop, ...callerValues };
  return {
    has: (name) => Object.hasOwn(flat, name),
    read: (name) => (Object.hasOwn(flat, name) ? flat[name] : undefined),
    peek: (name) => (Array.isArray(flat[name]) ? String(flat[name]) : flat[name]),
    isAuthored: () => true,
  };
}

/** For a command, the reference turns every default into text, lists included. */
export function createCompatLeafValues({ defaults = {}, loop = {}, ...others }: Layers): TemplateValues {
  const texts = Object.entries({ ...defaults, ...loop }).map(([name, value]) => [name, value == null ? '' : String(value)]);
  return createCompatValues({ ...others, defaults: Object.fromEntries(texts) });
}

/** The lowest layer of the values. */
export function readArgDefaults(args: ArgDeclarations): Layer {
  const entries = parseDeclarations(args).flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries);
}

/** False for undefined, null, false, an empty list, and the texts "", "0", "false" and "no". */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === undefined || value === null || value === false) return false;
  return !['', '0', 'false', 'no'].includes(String(value).trim().toLowerCase());
}

/** The values of an import over those around it. One that is only its own name passes the outer value on. */
export function mergeFixedValues(own: unknown, outer: Layer | undefined): Layer | undefined {
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return outer;
  const entries = Object.entries(own).filter(
    ([name, value]) => typeof value !== 'string' || parsePlaceholderName(value) !== name,
  );
  return { ...outer, ...Object.fromEntries(entries) };
}

// Defaults go down the tree: those of a node come before those around it.

/** A default that is only `{name}` stands for the outer default of that name, unless the caller has a value. */
export function inheritDefaults(own: Layer | undefined, outer: Layer | undefined, callerValues: Layer): Layer | undefined {
  if (!own) return outer;
  const resolved = Object.entries(own).map(([name, value]) => [name, resolveOuterDefault(value, outer, callerValues)]);
  return { ...outer, ...Object.fromEntries(resolved) };
}

function resolveOuterDefault(value: unknown, outerDefaults: Layer | undefined, callerValues: Layer): unknown {
  const outerName = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
  if (outerName === undefined || Object.hasOwn(callerValues, outerName)) return value;
  return outerDefaults && Object.hasOwn(outerDefaults, outerName) ? outerDefaults[outerName] : value;
}

/** For a template that is filled in later, when the values of the caller come before every default. */
export function mergeDefaults(own: Layer | undefined, outer: Layer): Layer {
  if (!own) return outer;
  const merged: Record<string, unknown> = { ...outer };
  for (const name of Object.keys(own)) {
    const value = own[name];
    const outerName = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (outerName === name) continue;
    // It means the outer default, which the merge is about to replace.
    const isCovered = outerName !== undefined && Object.hasOwn(own, outerName) && Object.hasOwn(outer, outerName);
    defineValue(merged, name, isCovered ? outer[outerName] : value);
  }
  return merged;
}

// `__proto__` is a name like any other.
function defineValue(layer: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(layer, name, { value, enumerable: true, configurable: true, writable: true });
  else layer[name] = value;
}
