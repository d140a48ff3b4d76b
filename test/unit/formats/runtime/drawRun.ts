// The ways through the picture of a manifest's run.
import { createPlan } from '../../../../src/check/createPlan.js';
import type { TraceEntryJson } from '../../../../src/evidence/models/traceModel.js';
import { findFailureOutcomes, Tracer } from '../../../../src/evidence/trace.js';
import { buildBoards } from '../../../../src/pages/graph/buildBoards.js';
import { PathTaken } from '../../../../src/pages/graph/pathTaken.js';
import { renderMermaid } from '../../../../src/pages/graph/renderMermaid.js';
import { prepareManifest, type RunOptions, runManifest } from './runManifest.js';

/** The lines between the boxes of the topology: `-->` is a way that was taken, `-.->` one that was not. */
export async function drawRun(
  value: Parameters<typeof runManifest>[0],
  options: RunOptions,
): Promise<{ ways: string[]; status: string }> {
  const { compiled, registry } = prepareManifest(value, options);
  const plan = createPlan(compiled, registry);
  if ('code' in plan) throw new Error(plan.message);
  const { lines, status } = await runManifest(value, options);
  const taken = new PathTaken(plan);
  const tracer = new Tracer(findFailureOutcomes([]), (entry) => taken.add(entry as TraceEntryJson));
  for (const line of lines) tracer.readLine(line);
  const text = renderMermaid(buildBoards(plan, { vocabulary: registry, flows: compiled.recipe.flows }), taken);
  const ids = new Map([...text.matchAll(/(n\d+)\[".*?<br\/>([\w-]+) ·/g)].map(([, key = '', id = '']) => [key, id]));
  const ways = [...text.matchAll(/(n\d+) (-->|-\.->)(?:\|"(.*?)"\|)? (n\d+)/g)];
  return {
    status,
    ways: ways.map(([, from = '', line, said = '', to = '']) => `${ids.get(from)} ${line} ${ids.get(to)} ${said}`.trim()),
  };
}
