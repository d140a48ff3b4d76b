import * as z from 'zod';
import { parsePath } from '../../engine/jsonPath.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { describeMissingSource, sourceFields } from './sourceFields.js';

export const stateRead = defineAction({
  name: 'state_read',
  description: 'Reads a value from the output of a former node, or a state ref as `state:<ref>`.',
  schema: z.strictObject({ ...sourceFields, path: z.string().min(1).default('$') }),
  examples: [{ description: 'The id of the order.', node: { action: 'state_read', source: 'create-order', path: '$.id' } }],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  fallible: () => true,
  describeMissing: describeMissingSource,
  run({ source: given, node: alias, path }, { read }) {
    const source = given ?? alias ?? '';
    const keys = parsePath(path);
    if (!keys) throw new RecipeError('state_read.invalid_path', 'action', `${JSON.stringify(path)} is not a path.`);
    const found = read(source, keys);
    if (!found.found) throw new RecipeError('state_read.missing', 'action', `There is no ${path} in ${source}.`);
    return { output: { source, path, value: found.value } };
  },
});
