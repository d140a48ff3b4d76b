import * as z from 'zod';
import { declareAction } from '../action.js';

export const storage = declareAction({
  name: 'cdp.storage',
  description: 'Reads or changes what the browser keeps for the app. Changing it is a backdoor, so it has no place in a proof.',
  schema: z.strictObject({
    mode: z.enum(['get', 'set', 'remove', 'clear']).default('get'),
    area: z.enum(['local', 'session', 'cookies']).default('local'),
    key: z.string().min(1).optional(),
    value: z.unknown().optional(),
    origin: z.string().min(1).optional(),
  }),
  examples: [{ description: 'Read the cart id.', node: { action: 'cdp.storage', mode: 'get', area: 'local', key: 'cart' } }],
  effect: ({ fields }) => (fields.mode === undefined || fields.mode === 'get' ? 'reads' : 'backdoor'),
  needs: ['page'],
});
