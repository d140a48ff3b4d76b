import * as z from 'zod';
import { defineAction } from '../action.js';
import { handedOn } from '../template/handedOn.js';
import { tooFew } from '../template/tooFew.js';

const limit = z.int().min(1);

export const each = defineAction({
  name: 'rw.each',
  description:
    'Runs the one node of its body for every item of a list, at most `limit` at a time; results keep the order of the items.',
  schema: z.strictObject({
    items: z.array(z.unknown()),
    limit: limit.optional(),
    min_successful: limit.optional().describe('How many of its rounds must succeed; the others may fail.'),
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
  run: ({ join, min_successful }, { body, stdin }) => ({
    output: { status: body?.status, items: body?.items },
    ...tooFew(min_successful, { body, of: body?.items.length ?? 0 }),
    ...(join ? { streams: handedOn({ body, children: [...(body?.items.keys() ?? [])], join, stdin }) } : {}),
  }),
});
