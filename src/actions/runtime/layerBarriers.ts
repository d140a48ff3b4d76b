// Makes the nodes of a dag run layer by layer: a node waits for all of the layer before, whether or not they lead to it.
import { type Link, layersOf } from '../../dialects/runtime/layers.js';

/** More edges than this cost more than the order is worth; then a node waits only for what leads to it. */
const mostBarriers = 50_000;

/** Edges that never fire: conditional ones whose condition nobody evaluates. They come after all others, so that those keep their numbers. */
export function layerBarriers(ids: readonly string[], edges: readonly Link[]): (Link & { conditional: true })[] {
  const { of, hasLoop } = layersOf(ids, edges);
  if (hasLoop) return [];
  const layers: string[][] = [];
  for (const id of ids) {
    const layer = of.get(id) ?? 0;
    const others = layers[layer] ?? [];
    others.push(id);
    layers[layer] = others;
  }
  const count = layers.reduce((sum, layer, index) => sum + layer.length * (layers[index + 1]?.length ?? 0), 0);
  if (count > mostBarriers) return [];
  return layers.flatMap((layer, index) =>
    (layers[index + 1] ?? []).flatMap((to) => layer.map((from) => ({ from, to, conditional: true as const }))),
  );
}
