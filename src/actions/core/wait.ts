import * as z from 'zod';
import { defineAction } from '../action.js';
import { sleep } from '../sleep.js';

const duration = z.int().min(0).max(60_000);

export const wait = defineAction({
  name: 'wait',
  description: 'Waits for a fixed time. Prefer an action that waits for a condition.',
  schema: z.strictObject({
    duration_ms: duration.optional().describe('0 to 60000 milliseconds.'),
    ms: duration.optional().describe('The same as duration_ms.'),
  }),
  examples: [{ description: 'Wait two seconds for the queue.', node: { action: 'wait', duration_ms: 2000 } }],
  effect: 'none',
  describeMissing: ({ fields }) => (fields.duration_ms === undefined && fields.ms === undefined ? '"duration_ms"' : undefined),
  async run({ duration_ms: durationField, ms }, context) {
    const durationMs = durationField ?? ms ?? 0;
    await sleep(context, durationMs);
    return { output: { durationMs } };
  },
});
