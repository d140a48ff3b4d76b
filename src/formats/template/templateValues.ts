// The values a template is filled from: what the caller gave, what the loop around it counts, what its author set as defaults.
import { type ArgDeclarations, parseDeclarations } from './argDeclarations.js';

export type Layer = Readonly<Record<string, unknown>>;

export type TemplateValues = {
  has(name: string): boolean;
  read(name: string): unknown;
  /** What conditions look at. */
  peek(name: string): unknown;
  /** Its text was written by the author of the template, and so may refer to other values. */
  isAuthored(name: string): boolean;
};

export type Layers = {
  callerValues: Layer;
  /** What a recipe sets for one that it imports: its caller has no say in it. */
  fixed?: Layer | undefined;
  defaults?: Layer | undefined;
  loop?: Layer | undefined;
  args?: ArgDeclarations;
};

/** What a caller gives is data and is never read as a template; nobody reads what objects inherit. */
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

/** A default that is nothing but the name of another value is that value, of whatever type it is. */
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

/** The name in a text that is nothing but `{name}`. */
export function parsePlaceholderName(text: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_-]*)\}$/.exec(text)?.[1];
}

/** As the reference has it: one flat object, whose prototype shows, of which every text is a template. */
export function createCompatValues({ callerValues, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const flat: Record<string, unknown> = { ...readArgDefaults(args), ...defaults, ...loop, ...callerValues };
  return {
    has: (name) => Object.hasOwn(flat, name),
    read: (name) => (Object.hasOwn(flat, name) ? flat[name] : undefined),
    peek: (name) => (Array.isArray(flat[name]) ? String(flat[name]) : flat[name]),
    isAuthored: () => true,
  };
}

/** At a leaf the reference turns every default into text, lists included. */
export function createCompatLeafValues({ defaults = {}, loop = {}, ...others }: Layers): TemplateValues {
  const texts = Object.entries({ ...defaults, ...loop }).map(([name, value]) => [name, value == null ? '' : String(value)]);
  return createCompatValues({ ...others, defaults: Object.fromEntries(texts) });
}

/** What is used where nobody says anything else. */
export function readArgDefaults(args: ArgDeclarations): Layer {
  const entries = parseDeclarations(args).flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(entries);
}

/** False for what is missing, null, false, a list without items, and the texts "", "0", "false" and "no". */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === undefined || value === null || value === false) return false;
  return !['', '0', 'false', 'no'].includes(String(value).trim().toLowerCase());
}

/** Values set for an import, over those around it. One that is nothing but its own name hands on what is there. */
export function mergeFixedValues(own: unknown, outer: Layer | undefined): Layer | undefined {
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return outer;
  const entries = Object.entries(own).filter(
    ([name, value]) => typeof value !== 'string' || parsePlaceholderName(value) !== name,
  );
  return { ...outer, ...Object.fromEntries(entries) };
}

// Defaults go down the tree: a node's own come before those around it.

/** A default that is nothing but `{name}` stands for the default of that name around it, unless the caller gave the value. */
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

/** The same for a template that is filled later: what the caller gives is not known yet, and will come before every default. */
export function mergeDefaults(own: Layer | undefined, outer: Layer): Layer {
  if (!own) return outer;
  const merged: Record<string, unknown> = { ...outer };
  for (const name of Object.keys(own)) {
    const value = own[name];
    const outerName = typeof value === 'string' ? parsePlaceholderName(value) : undefined;
    if (outerName === name) continue;
    // It means the one around it, which is about to be covered.
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
