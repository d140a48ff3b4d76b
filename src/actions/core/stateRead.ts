import * as z from 'zod';
import { parsePath } from '../../engine/jsonPath.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { defineAction } from '../action.js';
import { describeMissingSource, sourceFields } from './sourceFields.js';

export const stateRead = defineAction({
  name: 'state_read',
  description: 'Reads a value from the output of an earlier node, or a state ref with `state:<ref>`.',
  schema: z.strictObject({ ...sourceFields, path: z.string().min(1).default('$') }),
  examples: [{ description: 'The id of the order.', node: { action: 'state_read', source: 'create-order', path: '$.id' } }],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  fallible: () => true,
  describeMissing: describeMissingSource,
  run({ source: sourceField, node: nodeField, path }, { read }) {
    const source = sourceField ?? nodeField ?? '';
    const keys = parsePath(path);
    if (!keys)
      throw new RecipeError(
        'state_read.invalid_path',
        'action',
        `${JSON.stringify(path)} is not a path. Paths look like $, $.a.b or $.a[0].`,
      );
    const result = read(source, keys);
    if (!result.found) throw new RecipeError('state_read.missing', 'action', `The output of ${source} has no ${path}.`);
    return { output: { source, path, value: result.value } };
  },
});
