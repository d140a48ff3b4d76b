// How long the watched files are before anything runs: lines of an earlier run prove nothing.
import { resolve } from 'node:path';
import type { Recipe } from '../dialects/recipe.js';
import type { PlanNode } from '../graph/plan.js';
import { reachable } from '../graph/plan.js';
import { referencesIn } from '../graph/template.js';
import { fileSize, insideOf } from '../system/files.js';
import type { Job } from './job.js';

export function sizesAtStart({ loaded, registry, projectRoot }: Job): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  if (!mayWatch(loaded.compiled.recipe, registry)) return sizes;
  const { plan } = loaded;
  for (const region of plan.teardown ? [plan.main, plan.teardown] : [plan.main]) {
    for (const { node } of reachable(region)) {
      const path = watchedBy(node, registry);
      // A path with references is not known yet: what is written before the node is not looked at then.
      if (path === undefined || referencesIn(path).length > 0) continue;
      const file = insideOf(projectRoot, path);
      if (file !== undefined) sizes.set(file, fileSize(file) ?? 0);
    }
  }
  return sizes;
}

// Most recipes watch nothing, and need not be gone through for it.
function mayWatch({ nodes, flows, setup, teardown }: Recipe, registry: Job['registry']): boolean {
  if (flows.size > 0 || setup.length > 0 || teardown.length > 0) return true;
  for (const { action, body } of nodes.values()) if (body || registry.get(action)?.watches) return true;
  return false;
}

/** For a node that asks: the size when the run began, or now for a file that was not known then. */
export function sizeAtStart(sizes: ReadonlyMap<string, number>, projectRoot: string, path: string): number {
  const file = resolve(projectRoot, path);
  return sizes.get(file) ?? fileSize(file) ?? 0;
}

function watchedBy({ recipe }: PlanNode, registry: Job['registry']): string | undefined {
  return registry.get(recipe.action)?.watches?.(recipe);
}
