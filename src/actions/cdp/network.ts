import * as z from 'zod';
import { declareAction } from '../action.js';

export const network = declareAction({
  name: 'cdp.network',
  description: 'Observes the network traffic of the app from `observe` to `stop`.',
  schema: z.strictObject({
    mode: z.enum(['observe', 'stop']),
    capture: z
      .array(z.enum(['request', 'response', 'failure']))
      .min(1)
      .optional(),
    url: z.string().min(1).optional().describe('Only requests whose URL contains this.'),
  }),
  examples: [{ description: 'Record failures.', node: { action: 'cdp.network', mode: 'observe', capture: ['failure'] } }],
  effect: 'reads',
  captures: true,
  needs: ['page'],
});
