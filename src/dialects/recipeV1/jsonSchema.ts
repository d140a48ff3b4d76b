// The published JSON Schema of a recipe, generated from the model.
import { z } from 'zod';
import { catalogModel, recipeModel } from './model.js';

export function recipeSchema(): object {
  return schemaOf('recipe-v1', 'Recipe Protocol v1', recipeModel);
}

export function catalogSchema(): object {
  return schemaOf('flow-catalog-v1', 'Recipe Protocol v1 flow catalog', catalogModel);
}

function schemaOf(name: string, title: string, model: z.ZodType): object {
  const { $schema, ...rest } = z.toJSONSchema(model, { target: 'draft-7', io: 'input', reused: 'ref', unrepresentable: 'any' });
  return { $schema, $id: `recipewright/schemas/${name}.schema.json`, title, ...rest };
}
