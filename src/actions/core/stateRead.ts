import { z } from 'zod';
import { declareAction } from '../action.js';
import { lacksSource, sourceFields } from './source.js';

export const stateRead = declareAction({
  name: 'state_read',
  description: 'Reads a value from the output of a former node, or a state ref as `state:<ref>`.',
  schema: z.strictObject({ ...sourceFields, path: z.string().min(1).default('$') }),
  examples: [{ description: 'The id of the order.', node: { action: 'state_read', source: 'create-order', path: '$.id' } }],
  effect: 'reads',
  sourceFields: Object.keys(sourceFields),
  lacks: lacksSource,
});
