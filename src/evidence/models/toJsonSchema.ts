// A model as JSON Schema, draft-07: what a schema cannot say, such as a refinement, is left out of it.
import * as z from 'zod';

export function toJsonSchema(model: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(model, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => askFor(jsonSchema),
  });
}

// zod describes the first items of a list without asking for them.
function askFor(schema: z.core.JSONSchema.BaseSchema): void {
  if (Array.isArray(schema.items)) schema.minItems ??= schema.items.length;
}
