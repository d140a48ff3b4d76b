import * as z from 'zod';
import { defineAction } from '../action.js';
import { layersOf } from './layers.js';

export const dag = defineAction({
  name: 'rw.dag',
  description:
    'Runs the nodes of its body along edges. When all parents of a node have ended, the node runs if an edge to it fired, otherwise it is skipped.',
  schema: z.strictObject({
    layers: z
      .boolean()
      .optional()
      .describe(
        'A node also waits for all nodes of the previous layer, even without an edge from them. Ignored for a graph with a loop.',
      ),
  }),
  examples: [{ description: 'Run b after a.', node: { action: 'rw.dag', body: { nodes: {}, edges: [{ from: 'a', to: 'b' }] } } }],
  effect: 'none',
  planRegion({ body, fields }) {
    if (!body) return undefined;
    const edges = body.edges.map(({ from, to, when }) => ({ from, to, conditional: when !== undefined }));
    const region = { kind: 'dag' as const, nodes: body.nodes, edges };
    if (fields.layers !== true) return region;
    const { layerOf: layers, hasLoop } = layersOf([...body.nodes.keys()], edges);
    return hasLoop ? region : { ...region, layers };
  },
  run: (_, { body }) => ({ output: { status: body?.status, outputs: Object.fromEntries(body?.outputs ?? []) } }),
});
