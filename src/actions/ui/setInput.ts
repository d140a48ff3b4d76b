import * as z from 'zod';
import { declareAction } from '../action.js';
import { lacksTarget, placeFields } from './target.js';

const value = z.union([z.string(), z.number()]);

export const setInput = declareAction({
  name: 'ui.set_input',
  description: 'Types a value into a field as a user does, in place of what stood there.',
  schema: z.strictObject({ ...placeFields, value: value.optional(), text: value.optional().describe('The same as value.') }),
  examples: [
    { description: 'Fill the address.', node: { action: 'ui.set_input', test_id: 'shipping-address', value: '1 Main Street' } },
  ],
  effect: 'user',
  needs: ['page'],
  secretFields: ['value'],
  lacks: (node) => lacksTarget(node, []) ?? ((node.fields.value ?? node.fields.text) === undefined ? '"value"' : undefined),
});
