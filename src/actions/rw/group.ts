import * as z from 'zod';
import { defineAction } from '../action.js';

const limit = z.int().min(1);

export const group = defineAction({
  name: 'rw.group',
  description: 'Runs the nodes of its body side by side, or in turn with the output of each piped into the next.',
  schema: z.strictObject({ order: z.enum(['together', 'in_turn']), pipe: z.boolean().optional(), limit: limit.optional() }),
  examples: [{ description: 'A pipe.', node: { action: 'rw.group', order: 'in_turn', pipe: true, body: { nodes: {} } } }],
  effect: 'none',
  opens: ({ body, fields }) =>
    body && {
      kind: 'all',
      nodes: body.nodes,
      inTurn: fields.order === 'in_turn',
      pipe: fields.pipe === true,
      limit: limit.catch(Number.POSITIVE_INFINITY).parse(fields.limit),
    },
  run: (_, { body }) => ({ output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []) } }),
});
