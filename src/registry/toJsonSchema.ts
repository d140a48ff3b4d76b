// Converts a model to JSON Schema. Anything that a schema cannot express, such as a refinement, is left out.

import * as z from 'zod';

/** Editors support draft-07 best. A format may require a later one. */
export type Draft = 'draft-7' | 'draft-2020-12';

export function toJsonSchema(model: z.ZodType, target: Draft = 'draft-7'): Record<string, unknown> {
  return z.toJSONSchema(model, {
    target,
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => requireListItems(jsonSchema),
  });
}

// zod describes the items of a tuple, but does not require them.
function requireListItems(schema: z.core.JSONSchema.BaseSchema): void {
  if (Array.isArray(schema.items)) schema.minItems ??= schema.items.length;
}
