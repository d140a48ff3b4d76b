// The fields of a node as zod would give them, without zod for the plain ones: those of most nodes are texts, numbers and flags.
import type { z } from 'zod';
import { acceptsBy } from './accepts.js';

/** Undefined for what zod has to read: doubtful values, values with parts of their own, and models that change what they read. */
export type Fill = (value: Readonly<Record<string, unknown>>) => Record<string, unknown> | undefined;

const made = new WeakMap<object, Fill>();

export function filledBy(model: z.ZodType): Fill {
  const fill = made.get(model) ?? build(model);
  made.set(model, fill);
  return fill;
}

type Def = {
  type: string;
  shape?: Record<string, z.ZodType>;
  catchall?: z.ZodType;
  innerType?: z.ZodType;
  options?: readonly z.ZodType[];
  coerce?: boolean;
  defaultValue?: unknown;
};
type Internals = { def: Def; optin?: string };

function build(model: z.ZodType): Fill {
  const { type, shape = {}, catchall } = defOf(model);
  const fields = Object.entries(shape);
  const isStrict = type === 'object' && catchall !== undefined && defOf(catchall).type === 'never';
  if (!isStrict || !fields.every(([, field]) => keepsValue(field))) return () => undefined;
  const accepts = acceptsBy(model);
  const known = fields.map(([name, field]) => ({ name, def: defOf(field), hasDefault: defOf(field).type === 'default' }));
  return (value) => {
    for (const field of Object.values(value)) if (typeof field === 'object' || field === undefined) return undefined;
    if (!accepts(value)) return undefined;
    const filled: Record<string, unknown> = {};
    for (const { name, def, hasDefault } of known) {
      if (Object.hasOwn(value, name)) filled[name] = value[name];
      else if (hasDefault) filled[name] = def.defaultValue;
    }
    return filled;
  };
}

/** Those that give a plain value as it is, or refuse it. What has parts of its own refuses plain values. */
const keepers = new Set(['string', 'number', 'boolean', 'literal', 'enum', 'unknown', 'array', 'record', 'object', 'tuple']);

function keepsValue(field: z.ZodType): boolean {
  const { type, innerType, options, coerce } = defOf(field);
  if (type === 'optional') return innerType !== undefined && keepsValue(innerType) && !hidesDefault(innerType);
  if (type === 'default') return innerType !== undefined && keepsValue(innerType);
  // Of several that take a value, zod asks the first.
  if (type === 'union') return options?.every(keepsValue) === true;
  return keepers.has(type) && coerce !== true;
}

/** What may be left out, and has a value all the same. */
function hidesDefault(inner: z.ZodType): boolean {
  return defOf(inner).type !== 'unknown' && internalsOf(inner).optin !== undefined;
}

function defOf(model: z.ZodType): Def {
  return internalsOf(model).def;
}

function internalsOf(model: z.ZodType): Internals {
  return (model as unknown as { _zod: Internals })._zod;
}
