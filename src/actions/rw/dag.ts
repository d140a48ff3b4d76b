import * as z from 'zod';
import { defineAction } from '../action.js';

export const dag = defineAction({
  name: 'rw.dag',
  description:
    'Runs the nodes of its body along edges: a node runs when its parents are settled and an edge to it fired, else it is skipped.',
  schema: z.strictObject({}),
  examples: [{ description: 'A fan-out.', node: { action: 'rw.dag', body: { nodes: {}, edges: [{ from: 'a', to: 'b' }] } } }],
  effect: 'none',
  opens: ({ body }) =>
    body && {
      kind: 'dag',
      nodes: body.nodes,
      edges: body.edges.map(({ from, to, when }) => ({ from, to, conditional: when !== undefined })),
    },
  run: (_, { body }) => ({ output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []) } }),
});
