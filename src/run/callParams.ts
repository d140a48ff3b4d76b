// What a call hands to its flow: checked against the flow's own words, with its defaults filled in (spec §7, §8).
import { checkBySchema } from '../actions/jsonSchema.js';
import { RecipeError } from '../evidence/recipeError.js';
import type { Flow } from '../recipe/recipe.js';
import type { Prepared } from './prepareNode.js';

export function withParams(prepared: Prepared, flows: ReadonlyMap<string, Flow>): Prepared {
  const { ref, params = {} } = prepared.fields;
  const flow = typeof ref === 'string' ? flows.get(ref) : undefined;
  if (!flow?.paramsSchema) return prepared;
  const filled = withDefaults(flow.paramsSchema, params);
  const check = checkBySchema(flow.paramsSchema);
  const [problem] = 'problem' in check ? [] : check.problemsWith(filled);
  if (!problem) return { ...prepared, fields: { ...prepared.fields, params: filled } };
  const named = problem.keys.length > 0 ? `${JSON.stringify(problem.keys.join('.'))} ` : '';
  throw new RecipeError(
    'call.invalid_params',
    'action',
    `Flow ${flow.id} was called with params it does not take: ${named}${problem.message}.`,
  );
}

type Schema = { properties?: Record<string, Schema | undefined>; default?: unknown };

function withDefaults({ properties = {} }: Schema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const filled = { ...(value as Record<string, unknown>) };
  for (const [name, schema] of Object.entries(properties)) {
    if (typeof schema !== 'object' || schema === null) continue;
    if (Object.hasOwn(filled, name)) filled[name] = withDefaults(schema, filled[name]);
    else if (schema.default !== undefined) filled[name] = structuredClone(schema.default);
  }
  return filled;
}
