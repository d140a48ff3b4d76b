import * as z from 'zod';
import { defineAction } from '../action.js';

const duration = z.int().min(0).max(60_000);

export const wait = defineAction({
  name: 'wait',
  description: 'Lets time pass. Prefer an action that waits for something.',
  schema: z.strictObject({
    duration_ms: duration.optional().describe('0 to 60000 milliseconds.'),
    ms: duration.optional().describe('The same as duration_ms.'),
  }),
  examples: [{ description: 'Give the queue two seconds.', node: { action: 'wait', duration_ms: 2000 } }],
  effect: 'none',
  describeMissing: ({ fields }) => (fields.duration_ms === undefined && fields.ms === undefined ? '"duration_ms"' : undefined),
  async run({ duration_ms: given, ms }, { clock, signal }) {
    const durationMs = given ?? ms ?? 0;
    await new Promise<void>((resolve) => {
      const withdraw = clock.after(durationMs, resolve);
      signal.addEventListener('abort', () => [withdraw(), resolve()], { once: true });
    });
    return { output: { durationMs } };
  },
});
