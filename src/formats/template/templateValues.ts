// The values a template is filled from: what the caller gave, what the loop around it counts, what its author set as defaults.
import { type Declared, parseDeclarations } from './declarations.js';

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
  given: Layer;
  /** What a recipe sets for one that it imports: its caller has no say in it. */
  fixed?: Layer | undefined;
  defaults?: Layer | undefined;
  loop?: Layer | undefined;
  args?: Declared;
};

/** What a caller gives is data and is never read as a template; nobody reads what objects inherit. */
export function honestValues({ given, fixed = {}, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const layers = [loop, fixed, given, defaults, argDefaults(args)];
  const layerOf = (name: string): Layer | undefined => layers.find((layer) => Object.hasOwn(layer, name));
  const isAuthored = (name: string): boolean => ![loop, given].includes(layerOf(name) ?? {});
  const source = (name: string): string => sourceOf(name, (one) => (isAuthored(one) ? layerOf(one)?.[one] : undefined), layerOf);
  const read = (name: string): unknown => layerOf(source(name))?.[source(name)];
  return {
    has: (name) => layerOf(name) !== undefined,
    read,
    peek: read,
    isAuthored: (name) => isAuthored(source(name)),
  };
}

/** A default that is nothing but the name of another value is that value, of whatever type it is. */
function sourceOf(name: string, authored: (name: string) => unknown, isThere: (name: string) => unknown): string {
  const way = [name];
  for (let at = name; ; ) {
    const value = authored(at);
    const next = typeof value === 'string' ? exactName(value) : undefined;
    if (next === undefined || way.includes(next) || isThere(next) === undefined) return at;
    way.push(next);
    at = next;
  }
}

/** The name in a text that is nothing but `{name}`. */
export function exactName(text: string): string | undefined {
  return /^\{([A-Za-z_][A-Za-z0-9_-]*)\}$/.exec(text)?.[1];
}

/** As the reference has it: one flat object, whose prototype shows, of which every text is a template. */
export function flatValues({ given, defaults = {}, loop = {}, args }: Layers): TemplateValues {
  const flat: Record<string, unknown> = { ...argDefaults(args), ...defaults, ...loop, ...given };
  return {
    has: (name) => Object.hasOwn(flat, name),
    read: (name) => (Object.hasOwn(flat, name) ? flat[name] : undefined),
    peek: (name) => (Array.isArray(flat[name]) ? String(flat[name]) : flat[name]),
    isAuthored: () => true,
  };
}

/** At a leaf the reference turns every default into text, lists included. */
export function flatLeafValues({ defaults = {}, loop = {}, ...others }: Layers): TemplateValues {
  const texts = Object.entries({ ...defaults, ...loop }).map(([name, value]) => [name, value == null ? '' : String(value)]);
  return flatValues({ ...others, defaults: Object.fromEntries(texts) });
}

/** What is used where nobody says anything else. */
export function argDefaults(args: Declared): Layer {
  const known = parseDeclarations(args).flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(known);
}

/** False for what is missing, null, false, a list without items, and the texts "", "0", "false" and "no". */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value === undefined || value === null || value === false) return false;
  return !['', '0', 'false', 'no'].includes(String(value).trim().toLowerCase());
}

/** Values set for an import, over those around it. One that is nothing but its own name hands on what is there. */
export function fixValues(own: unknown, around: Layer | undefined): Layer | undefined {
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return around;
  const set = Object.entries(own).filter(([name, value]) => typeof value !== 'string' || exactName(value) !== name);
  return { ...around, ...Object.fromEntries(set) };
}
