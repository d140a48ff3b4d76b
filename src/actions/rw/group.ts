import * as z from 'zod';
import { defineAction } from '../action.js';
import { handedOn } from '../template/handedOn.js';
import { tooFew } from '../template/tooFew.js';

const limit = z.int().min(1);
const enough = limit.optional().describe('How many of its nodes must succeed; the others may fail.');

export const group = defineAction({
  name: 'rw.group',
  description: 'Runs the nodes of its body side by side, or in turn with the output of each piped into the next.',
  schema: z.strictObject({
    order: z.enum(['together', 'in_turn']),
    pipe: z.boolean().optional(),
    limit: limit.optional(),
    min_successful: enough,
    join: z.array(z.string()).optional().describe('Names of its branches, for what they hand on together.'),
  }),
  examples: [{ description: 'A pipe.', node: { action: 'rw.group', order: 'in_turn', pipe: true, body: { nodes: {} } } }],
  effect: 'none',
  fallible: ({ min_successful }) => min_successful !== undefined,
  opens: ({ body, fields }) =>
    body && {
      kind: 'all',
      nodes: body.nodes,
      inTurn: fields.order === 'in_turn',
      pipe: fields.pipe === true,
      limit: limit.catch(Number.POSITIVE_INFINITY).parse(fields.limit),
    },
  run: ({ pipe, join, min_successful }, { body, node, stdin }) => ({
    output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []) },
    ...tooFew(min_successful, { body, of: node.body?.nodes.size ?? 0 }),
    ...(pipe ? { streams: handedOn({ body, children: [...(node.body?.nodes.keys() ?? [])], join, stdin }) } : {}),
  }),
});
