import { z } from 'zod';
import { declareAction } from '../action.js';

export const assertJson = declareAction({
  name: 'assert_json',
  description: 'Checks the content of a JSON file of the project by `assert`.',
  schema: z.strictObject({ path: z.string().min(1).describe('Relative to the project.') }),
  examples: [
    {
      description: 'No test of the report failed.',
      node: { action: 'assert_json', path: 'reports/api.json', assert: { path: '$.failed', operator: 'eq', value: 0 } },
    },
  ],
  effect: 'reads',
  asserts: true,
  readsAssert: true,
  lacks: ({ assert }) => (assert === undefined ? '"assert"' : undefined),
});
