import * as z from 'zod';
import { declareAction } from '../action.js';

export const metrics = declareAction({
  name: 'cdp.metrics',
  description: 'Reads the performance metrics of the page.',
  schema: z.strictObject({ names: z.array(z.string().min(1)).min(1).optional() }),
  examples: [{ description: 'Memory in use.', node: { action: 'cdp.metrics', names: ['JSHeapUsedSize'] } }],
  effect: 'reads',
  needs: ['page'],
});
