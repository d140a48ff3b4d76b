import { z } from 'zod';
import { declareAction } from '../action.js';
import { lacksSource, sourceFields } from './source.js';

export const assertExitCode = declareAction({
  name: 'assert_exit_code',
  description: 'Checks the exit code of a former command.',
  schema: z.strictObject({ ...sourceFields, expected: z.int().default(0) }),
  examples: [{ description: 'The linter refuses it.', node: { action: 'assert_exit_code', source: 'lint', expected: 1 } }],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  asserts: true,
  lacks: lacksSource,
});
