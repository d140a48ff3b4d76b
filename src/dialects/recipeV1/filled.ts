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

type Def = { type: string; shape?: Record<string, z.ZodType>; innerType?: z.ZodType; defaultValue?: unknown };
type Internals = { def: Def; optin?: string };

function build(model: z.ZodType): Fill {
  const { type, shape = {} } = defOf(model);
  if (type !== 'object' || Object.values(shape).some(hidesDefault)) return () => undefined;
  const accepts = acceptsBy(model);
  const defaults = Object.entries(shape).filter(([, field]) => defOf(field).type === 'default');
  return (value) => {
    for (const field of Object.values(value)) if (typeof field === 'object' || field === undefined) return undefined;
    if (!accepts(value)) return undefined;
    const filled = { ...value };
    for (const [name, field] of defaults) if (!Object.hasOwn(filled, name)) filled[name] = defOf(field).defaultValue;
    return filled;
  };
}

/** What may be left out, and has a value all the same. */
function hidesDefault(field: z.ZodType): boolean {
  const { type, innerType } = defOf(field);
  if (type !== 'optional' || innerType === undefined || defOf(innerType).type === 'unknown') return false;
  return internalsOf(innerType).optin !== undefined;
}

function defOf(model: z.ZodType): Def {
  return internalsOf(model).def;
}

function internalsOf(model: z.ZodType): Internals {
  return (model as unknown as { _zod: Internals })._zod;
}
