import { z } from 'zod';
import { defineAction } from '../action.js';

const status = z.enum(['pass', 'fail', 'unknown']);

export const end = defineAction({
  name: 'end',
  description: 'Ends the graph with a verdict of its own: pass, fail or unknown.',
  schema: z.strictObject({ status }),
  examples: [{ description: 'The proof is complete.', node: { action: 'end', status: 'pass' } }],
  effect: 'none',
  leads: (node) => ({ kind: 'end', status: status.catch('unknown').parse(node.fields.status) }),
  run: () => ({}),
});
