// The values that replace the placeholders of a template: values of the caller, of the current repetition, and the author's
// defaults.
import { type ArgDeclarations, parseDeclarations } from './argDeclarations.js';

export type Layer = Readonly<Record<string, unknown>>;

export type TemplateValues = {
  has(name: string): boolean;
  read(name: string): unknown;
  /** Returns the value that conditions read. */
  peek(name: string): unknown;
  /** Whether the author of the template wrote the value, so that it may refer to other values. */
  isAuthored(name: string): boolean;
};

export type Layers = {
  callerValues: Layer;
  /** Values that a recipe sets for an import. A caller cannot override them. */
  fixed?: Layer | undefined;
  defaults?: Layer | undefined;
  loop?: Layer | undefined;
  args?: ArgDeclarations;
};

/**
 * Creates the values of a node. Values of the caller are data: their placeholders are never replaced. Only own properties are
 * values.
 */
export function createValues({ callerValues, fixed = {}, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const layers = [loop, fixed, callerValues, defaults, readArgDefaults(args)];
  const layerOf = (name: string): Layer | undefined => layers.find((layer) => Object.hasOwn(layer, name));
  const isAuthored = (name: string): boolean => ![loop, callerValues].includes(layerOf(name) ?? {});
  const resolveName = (name: string): string =>
    resolveAlias(name, (alias) => (isAuthored(alias) ? layerOf(alias)?.[alias] : undefined), layerOf);
  const read = (name: string): unknown => layerOf(resolveName(name))?.[resolveName(name)];
  return {
    has: (name) => layerOf(name) !== undefined,
    read,
    peek: read,
    isAuthored: (name) => isAuthored(resolveName(name)),
  };
}

/** Follows defaults that are only `{name}`, and returns the last name. Its value keeps its type. */
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

/** Returns the name in a string that is only `{name}`. */
export function parsePlaceholderName(text: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_-]*)\}$/.exec(text)?.[1];
}

/**
 * Creates values like the reference implementation: one flat object with an accessible prototype, in which every string is a
 * template.
 */
export function createCompatValues({ callerValues, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const flat: Record<string, unknown> = { ...readArgDefaults(args), ...defaults, ...loop, ...callerValues };
  return {
    has: (name) => Object.hasOwn(flat, name),
    read: (name) => (Object.hasOwn(flat, name) ? flat[name] : undefined),
    peek: (name) => (Array.isArray(flat[name]) ? String(flat[name]) : flat[name]),
    isAuthored: () => true,
  };
}

/** Creates the values of a command like the reference implementation, which converts every default to a string, even lists. */
export function createCompatLeafValues({ defaults = {}, loop = {}, ...others }: Layers): TemplateValues {
  const strings = Object.entries({ ...defaults, ...loop }).map(([name, value]) => [name, value == null ? '' : String(value)]);
  return createCompatValues({ ...others, defaults: Object.fromEntries(strings) });
}

/** Returns the defaults in `args`, the layer of values with the lowest precedence. */
export function readArgDefaults(args: ArgDeclarations): Layer {
  const entries = parseDeclarations(args).flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries);
}

/** Returns false for undefined, null, false, an empty list, and the strings "", "0", "false" and "no". */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === undefined || value === null || value === false) return false;
  return !['', '0', 'false', 'no'].includes(String(value).trim().toLowerCase());
}

/** Merges the values of an import over the outer ones. A value that is only its own name keeps the outer value. */
export function mergeFixedValues(own: unknown, outer: Layer | undefined): Layer | undefined {
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return outer;
  const entries = Object.entries(own).filter(
    ([name, value]) => typeof value !== 'string' || parsePlaceholderName(value) !== name,
  );
  return { ...outer, ...Object.fromEntries(entries) };
}

// A node inherits the defaults of its parents. Its own defaults take precedence.

/**
 * Merges the defaults of a node. A default that is only `{name}` is the outer default of that name, unless the caller has a
 * value.
 */
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

/** Merges defaults for a compiled recipe, whose run puts the values of the caller before every default. */
export function mergeDefaults(own: Layer | undefined, outer: Layer): Layer {
  if (!own) return outer;
  const merged: Record<string, unknown> = { ...outer };
  for (const name of Object.keys(own)) {
    const value = own[name];
    const outerName = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (outerName === name) continue;
    // The value refers to an outer default that this merge replaces, so the outer value is copied now.
    const isCovered = outerName !== undefined && Object.hasOwn(own, outerName) && Object.hasOwn(outer, outerName);
    defineValue(merged, name, isCovered ? outer[outerName] : value);
  }
  return merged;
}

// An assignment to the key `__proto__` would set the prototype of the object.
function defineValue(layer: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(layer, name, { value, enumerable: true, configurable: true, writable: true });
  else layer[name] = value;
}
