import * as z from 'zod';
import type { Next } from '../../engine/plan.js';
import { defineAction } from '../action.js';

const status = z.enum(['pass', 'fail', 'unknown']);

export const end = defineAction({
  name: 'end',
  description: 'Ends the graph with the verdict pass, fail or unknown.',
  schema: z.strictObject({ status }),
  examples: [{ description: 'The proof is complete.', node: { action: 'end', status: 'pass' } }],
  effect: 'none',
  fieldCodes: { status: { missing: 'missing_terminal_status', invalid: 'invalid_terminal_status' } },
  planNext: ({ fields }) => nextByStatus.get(fields.status) ?? endUnknown,
  run: () => ({}),
});

const endUnknown: Next = { kind: 'end', status: 'unknown' };
const nextByStatus: ReadonlyMap<unknown, Next> = new Map(
  status.options.map((option) => [option, { kind: 'end', status: option }]),
);
