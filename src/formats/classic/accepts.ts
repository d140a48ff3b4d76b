// A zod model as one quick yes or no. Most documents are good: zod is asked only when this says no, to tell what is wrong.
import type { z } from 'zod';

export type Accepts = (value: unknown) => boolean;

const made = new WeakMap<object, Accepts>();

/** Built once for each model. It may say no to what zod accepts, never yes to what zod refuses. */
export function acceptsBy(model: z.ZodType): Accepts {
  const before = made.get(model);
  if (before) return before;
  // A model may contain itself: inside of it, what is being built is called when it is there.
  let built: Accepts = no;
  made.set(model, (value) => built(value));
  built = build(model);
  made.set(model, built);
  return built;
}

type Def = { type: string; checks?: readonly Check[] } & Record<string, unknown>;
type Check = { _zod: { def: { check: string } & Record<string, unknown> } };

function build(model: z.ZodType): Accepts {
  const def = (model as unknown as { _zod: { def: Def } })._zod.def;
  const accepts = builders[def.type]?.(def) ?? no;
  const checks = (def.checks ?? []).map(checkOf);
  const [first] = checks;
  if (!first) return accepts;
  if (checks.length === 1) return (value) => accepts(value) && first(value);
  return (value) => accepts(value) && checks.every((check) => check(value));
}

const no: Accepts = () => false;
const yes: Accepts = () => true;

const builders: Readonly<Record<string, (def: Def) => Accepts>> = {
  unknown: () => yes,
  string: (def) => withPattern(def, (value) => typeof value === 'string'),
  number: (def) => (def.check === 'number_format' ? formatOf(def) : Number.isFinite),
  boolean: () => (value) => typeof value === 'boolean',
  literal:
    ({ values }) =>
    (value) =>
      (values as unknown[]).includes(value),
  enum: ({ entries }) => {
    const known = new Set(Object.values(entries as object));
    return (value) => known.has(value);
  },
  optional: ({ innerType }) => orMissing(innerType as z.ZodType),
  default: ({ innerType }) => orMissing(innerType as z.ZodType),
  lazy: ({ getter }) => acceptsBy((getter as () => z.ZodType)()),
  union: ({ options }) => {
    const ways = (options as z.ZodType[]).map(acceptsBy);
    return (value) => ways.some((way) => way(value));
  },
  array: ({ element }) => {
    const item = acceptsBy(element as z.ZodType);
    return (value) => Array.isArray(value) && value.every(item);
  },
  tuple: ({ items, rest }) => tuple(items as z.ZodType[], rest as z.ZodType | null),
  record: ({ keyType, valueType }) => record(acceptsBy(keyType as z.ZodType), acceptsBy(valueType as z.ZodType)),
  object,
};

function orMissing(inner: z.ZodType): Accepts {
  const accepts = acceptsBy(inner);
  return (value) => value === undefined || accepts(value);
}

function tuple(items: readonly z.ZodType[], rest: z.ZodType | null): Accepts {
  const first = items.map(acceptsBy);
  const others = rest ? acceptsBy(rest) : no;
  return (value) =>
    Array.isArray(value) && value.length >= first.length && value.every((item, index) => (first[index] ?? others)(item));
}

function record(key: Accepts, item: Accepts): Accepts {
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name of Object.keys(value)) if (!key(name) || !item(value[name])) return false;
    return true;
  };
}

// Only the keys that are there are looked at, and those that must be.
function object({ shape, catchall }: Def): Accepts {
  const fields = new Map(Object.entries(shape as Record<string, z.ZodType>).map(([name, model]) => [name, acceptsBy(model)]));
  const required = Object.entries(shape as Record<string, z.ZodType>)
    .filter(([, model]) => !isOptional(model))
    .map(([name]) => name);
  const others = catchall ? acceptsBy(catchall as z.ZodType) : no;
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name of Object.keys(value)) if (!(fields.get(name) ?? others)(value[name])) return false;
    return true;
  };
}

function isOptional(model: z.ZodType): boolean {
  const { type } = (model as unknown as { _zod: { def: Def } })._zod.def;
  return type === 'optional' || type === 'default';
}

// zod passes over a key named `__proto__`; what has one goes the long way.
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');
}

function withPattern(def: Def, accepts: Accepts): Accepts {
  return def.check === undefined ? accepts : no;
}

function formatOf(def: Def): Accepts {
  return def.format === 'safeint' ? Number.isSafeInteger : no;
}

function checkOf({ _zod: { def } }: Check): Accepts {
  const { check, value: bound, minimum, maximum, pattern } = def;
  const [low, high] = [Number(bound ?? minimum), Number(bound ?? maximum)];
  if (check === 'min_length') return (value) => (value as string).length >= low;
  if (check === 'max_length') return (value) => (value as string).length <= high;
  if (check === 'greater_than') return (value) => (def.inclusive ? (value as number) >= low : (value as number) > low);
  if (check === 'less_than') return (value) => (def.inclusive ? (value as number) <= high : (value as number) < high);
  if (check === 'number_format') return formatOf(def as unknown as Def);
  if (check === 'string_format' && pattern instanceof RegExp && !pattern.global) return (value) => pattern.test(value as string);
  // A check of a kind that is not known here: zod decides.
  return no;
}
