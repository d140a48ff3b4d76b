// The fields that the actions of runtime recipes share. The compiler writes these fields and escapes their braces.
import * as z from 'zod';
import { type Action, defineAction } from '../../../actions/action.js';
import { unescapeBraces } from '../escapeBraces.js';

/** Defines an action whose fields the compiler has escaped. The action gets the fields as the author wrote them. */
export function defineEscapedAction<S extends z.ZodType>(action: Action<S>): Action {
  const { secretFields = [] } = action;
  const unescapeFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    // A secret is known only at run time, so the compiler could not escape it.
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, secretFields.includes(key) ? value : unescapeBraces(value)]),
    );
  return defineAction({
    ...action,
    run: (escapedFields, context) =>
      action.run(unescapeFields(escapedFields as object as Record<string, unknown>) as z.output<S>, context),
  });
}

export const text = z.string();
export const dict = z.record(z.string(), z.unknown());
export const dicts = z.array(z.record(z.string(), z.unknown()));

const route = z.union([
  z.strictObject({ condition: z.string() }),
  z.strictObject({
    router: z.union([z.string(), z.strictObject({ operator: z.string(), args: z.array(z.unknown()) })]),
    mapping: z.record(z.string(), z.string()),
  }),
]);

export type Route = z.output<typeof route>;

/**
 * The fields that identify a node. The first `level` steps of its run path identify its manifest, the first `item` steps its
 * item.
 */
export const identityFields = {
  node: text.describe('The id of the node in the manifest.'),
  level: z.int().min(0),
  layer: z.int().min(0),
  item: z.int().min(1).optional(),
};

export const commonFields = {
  ...identityFields,
  routes: z.array(route).optional().describe('The conditions and routers that decide which outgoing edges fire.'),
};

export type NodeIdentity = { node: string; level: number; layer: number; item?: number | undefined };
export type CommonFields = NodeIdentity & { routes?: readonly Route[] | undefined };

const mappingTarget = z.union([
  z.string(),
  z.strictObject({ source: z.string(), strategy: z.enum(['direct', 'jsonpath', 'literal']) }),
]);
export const mapping = z.record(z.string(), mappingTarget);
