import * as z from 'zod';
import type { Next } from '../../engine/plan.js';
import { defineAction } from '../action.js';

const status = z.enum(['pass', 'fail', 'unknown']);

export const end = defineAction({
  name: 'end',
  description: 'Ends the graph with a verdict of its own: pass, fail or unknown.',
  schema: z.strictObject({ status }),
  examples: [{ description: 'The proof is complete.', node: { action: 'end', status: 'pass' } }],
  effect: 'none',
  fieldCodes: { status: { missing: 'missing_terminal_status', invalid: 'invalid_terminal_status' } },
  leads: ({ fields }) => ends.get(fields.status) ?? undecided,
  run: () => ({}),
});

const undecided: Next = { kind: 'end', status: 'unknown' };
const ends: ReadonlyMap<unknown, Next> = new Map(status.options.map((option) => [option, { kind: 'end', status: option }]));
