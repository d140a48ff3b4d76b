// Runs a manifest and draws its run.
import { createPlan } from '../../../../src/check/createPlan.js';
import type { TraceEntryJson } from '../../../../src/evidence/models/traceModel.js';
import { findFailureOutcomes, Tracer } from '../../../../src/evidence/trace.js';
import { buildBoards } from '../../../../src/pages/graph/buildBoards.js';
import { PathTaken } from '../../../../src/pages/graph/pathTaken.js';
import { renderMermaid } from '../../../../src/pages/graph/renderMermaid.js';
import { prepareManifest, type RunOptions, runManifest } from './runManifest.js';

/** Returns the edges between the boxes of the topology. The edge `-->` was taken, the edge `-.->` was not. */
export async function drawRun(
  value: Parameters<typeof runManifest>[0],
  options: RunOptions,
): Promise<{ edges: string[]; status: string }> {
  const { compiled, registry } = prepareManifest(value, options);
  const plan = createPlan(compiled, registry);
  if ('code' in plan) throw new Error(plan.message);
  const { lines, status } = await runManifest(value, options);
  const taken = new PathTaken(plan);
  const tracer = new Tracer(findFailureOutcomes([]), (entry) => taken.add(entry as TraceEntryJson));
  for (const line of lines) tracer.readLine(line);
  const text = renderMermaid(buildBoards(plan, { vocabulary: registry, flows: compiled.recipe.flows }), taken);
  const ids = new Map([...text.matchAll(/(n\d+)\[".*?<br\/>([\w-]+) ·/g)].map(([, key = '', id = '']) => [key, id]));
  const edges = [...text.matchAll(/(n\d+) (-->|-\.->)(?:\|"(.*?)"\|)? (n\d+)/g)];
  return {
    status,
    edges: edges.map(([, from = '', line, label = '', to = '']) => `${ids.get(from)} ${line} ${ids.get(to)} ${label}`.trim()),
  };
}
