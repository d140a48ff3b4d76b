import * as z from 'zod';
import { defineAction } from '../action.js';

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
  async run({ duration_ms: durationField, ms }, { clock, signal }) {
    const durationMs = durationField ?? ms ?? 0;
    await new Promise<void>((resolve) => {
      const cancelTimer = clock.after(durationMs, resolve);
      signal.addEventListener('abort', () => [cancelTimer(), resolve()], { once: true });
    });
    return { output: { durationMs } };
  },
});
