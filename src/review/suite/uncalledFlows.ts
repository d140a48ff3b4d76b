// The boards of flows that nothing calls: what is in them was taken by nobody.
import type { Board } from '../../pages/graph/board.js';
import { boardsOf } from '../../pages/graph/boardsOf.js';
import { PathTaken } from '../../pages/graph/pathTaken.js';
import { readGraph } from '../../pages/graph/readGraph.js';
import type { Way } from '../../pages/review/graphSection.js';

/** Drawn as if a recipe called one after the other, and never ran. `holder` is a recipe or a catalog; undefined when they cannot be drawn. */
export function uncalledFlows(holder: object, ids: readonly string[]): Way | undefined {
  const calls = ids.map((ref, index) => [`f${index}`, { action: 'call', ref, intent: `Call ${ref}`, next: `f${index + 1}` }]);
  const nodes = { ...Object.fromEntries(calls), [`f${ids.length}`]: { action: 'end', status: 'pass' } };
  const { flows } = holder as { flows?: unknown };
  const graph = readGraph({ schema_version: 1, flows, validate: { workflow: { entry: 'f0', nodes } } });
  if (typeof graph === 'string') return undefined;
  const boards: Board[] = boardsOf(graph.plan, graph.words).slice(1);
  return { boards, taken: new PathTaken(graph.plan) };
}

/** The flows that a recipe or a catalog declares, inlined ones included. */
export function flowIds(holder: unknown): string[] {
  const { flows } = Object(holder) as { flows?: unknown };
  return typeof flows === 'object' && flows !== null && !Array.isArray(flows) ? Object.keys(flows) : [];
}
