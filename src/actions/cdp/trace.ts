import * as z from 'zod';
import { declareAction } from '../action.js';

export const trace = declareAction({
  name: 'cdp.trace',
  description: 'Records a browser trace from `start` to `stop` and keeps it as evidence.',
  schema: z.strictObject({ mode: z.enum(['start', 'stop']), categories: z.array(z.string().min(1)).min(1).optional() }),
  examples: [
    { description: 'Record the timeline.', node: { action: 'cdp.trace', mode: 'start', categories: ['devtools.timeline'] } },
  ],
  effect: 'reads',
  captures: true,
  needs: ['page'],
});
