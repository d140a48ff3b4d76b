// A model as JSON Schema: what a schema cannot say, such as a refinement, is left out of it.
import * as z from 'zod';

/** Editors know draft-07 best; a format may ask for a later one. */
export type Draft = 'draft-7' | 'draft-2020-12';

export function toJsonSchema(model: z.ZodType, target: Draft = 'draft-7'): Record<string, unknown> {
  return z.toJSONSchema(model, {
    target,
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => requireListItems(jsonSchema),
  });
}

// zod describes the first items of a list without asking for them.
function requireListItems(schema: z.core.JSONSchema.BaseSchema): void {
  if (Array.isArray(schema.items)) schema.minItems ??= schema.items.length;
}
