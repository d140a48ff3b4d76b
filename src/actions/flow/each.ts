import * as z from 'zod';
import { defineAction } from '../action.js';
import { countBranches, quorumFields } from './countBranches.js';
import { handedOn } from './pipedOutput.js';

const limit = z.int().min(1);

export const each = defineAction({
  name: 'rw.each',
  description:
    'Runs the one node of its body for every item of a list, at most `limit` at a time; results keep the order of the items.',
  schema: z.strictObject({
    items: z.array(z.unknown()),
    limit: limit.optional(),
    ...quorumFields,
    join: z.array(z.string()).optional().describe('The name of its branches, for what they hand on together.'),
  }),
  examples: [
    { description: 'Two at a time.', node: { action: 'rw.each', items: ['a', 'b', 'c'], limit: 2, body: { nodes: {} } } },
  ],
  effect: 'none',
  fallible: ({ min_successful }) => min_successful !== undefined,
  opens({ body, fields }) {
    const [child] = body?.nodes.values() ?? [];
    return child && { kind: 'each', child, limit: limit.catch(Number.POSITIVE_INFINITY).parse(fields.limit) };
  },
  run({ join, ...wanted }, { body, stdin }) {
    const { output, ...counted } = countBranches(wanted, { body, of: body?.items.length ?? 0 });
    return {
      output: { status: body?.status, items: body?.items, ...output },
      ...counted,
      ...(join ? { streams: handedOn({ body, children: [...(body?.items.keys() ?? [])], join, stdin }) } : {}),
    };
  },
});
