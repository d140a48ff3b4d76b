import { z } from 'zod';
import { declareAction } from '../action.js';

export const assertFile = declareAction({
  name: 'assert_file',
  description: 'Checks that a file of the project exists and, with `contains`, holds a text.',
  schema: z.strictObject({
    path: z.string().min(1).describe('Relative to the project.'),
    contains: z.string().min(1).optional(),
  }),
  examples: [
    {
      description: 'The report was written.',
      node: { action: 'assert_file', path: 'reports/api.json', contains: '"failed": 0' },
    },
  ],
  effect: 'reads',
  asserts: true,
});
