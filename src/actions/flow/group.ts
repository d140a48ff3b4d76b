import * as z from 'zod';
import { defineAction } from '../action.js';
import { countBranches, quorumFields } from './countBranches.js';
import { handedOn } from './pipedOutput.js';

const limit = z.int().min(1);

export const group = defineAction({
  name: 'rw.group',
  description: 'Runs the nodes of its body side by side, or in turn with the output of each piped into the next.',
  schema: z.strictObject({
    order: z.enum(['together', 'in_turn']),
    pipe: z.boolean().optional(),
    limit: limit.optional(),
    ...quorumFields,
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
  run({ pipe, join, ...wanted }, { body, node, stdin }) {
    const { output, ...counted } = countBranches(wanted, { body, of: node.body?.nodes.size ?? 0 });
    return {
      output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []), ...output },
      ...counted,
      ...(pipe ? { streams: handedOn({ body, children: [...(node.body?.nodes.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});
