// Remembers the content of watched files before the first node runs, because lines of an earlier run prove nothing.
import { resolve } from 'node:path';
import type { ActionContext } from '../actions/action.js';
import { readKeys } from '../engine/jsonPath.js';
import { type PlanNode, reachableNodes } from '../engine/plan.js';
import { expandReferences, type ReferenceLookup, UnresolvedReference } from '../engine/references.js';
import type { Recipe } from '../recipe/recipe.js';
import { earliestWriteNs, FileBaseline } from '../system/files/fileBaseline.js';
import { resolveInside } from '../system/files/files.js';
import type { Job } from './job.js';

export class WatchedFiles {
  private readonly files: ReadonlyMap<string, FileBaseline>;
  private readonly oldBoundary = earliestWriteNs();

  constructor(job: Job) {
    this.files = rememberWatched(job, this.oldBoundary);
  }

  /** Returns the file as it was when the run began. A file whose path was unknown then is returned as it is now. */
  get(projectRoot: string, path: string): FileAtStart {
    const file = resolve(projectRoot, path);
    const remembered = this.files.get(file);
    if (remembered) return { file: remembered, since: 'run' };
    return { file: new FileBaseline(projectRoot, file, this.oldBoundary), since: 'node' };
  }

  /** Call it after each node, to notice a log that a node has removed or emptied. Everything that such a log contains later is new. */
  refreshAll(): void {
    for (const file of this.files.values()) file.refresh();
  }
}

function rememberWatched(job: Job, oldBoundary: bigint): Map<string, FileBaseline> {
  const { loaded, registry, projectRoot } = job;
  const files = new Map<string, FileBaseline>();
  if (!mayWatch(loaded.compiled.recipe, registry)) return files;
  const { main, teardown } = loaded.plan;
  for (const region of teardown ? [main, teardown] : [main]) {
    // The nodes inside a call come right after the call, so the map has the params of the right caller.
    const paramsByNode = new Map<PlanNode, unknown>();
    for (const { node, parent } of reachableNodes(region)) {
      const outerParams = parent && paramsByNode.get(parent);
      const lookup = lookupOf(job, outerParams);
      paramsByNode.set(node, expandIfResolvable(node.recipe.fields.params, lookup) ?? outerParams);
      const path = expandIfResolvable(registry.get(node.recipe.action)?.watchedFile?.(node.recipe), lookup);
      const file = typeof path === 'string' ? resolveInside(projectRoot, path) : undefined;
      if (file !== undefined && !files.has(file)) files.set(file, new FileBaseline(projectRoot, file, oldBoundary));
    }
  }
  return files;
}

function lookupOf({ inputs }: Job, params: unknown): ReferenceLookup {
  return ([first = '', ...rest]) => {
    if (first === 'params') return readKeys(params, rest);
    const [name = '', ...keys] = first === 'inputs' ? rest : [first, ...rest];
    return Object.hasOwn(inputs, name) ? readKeys(inputs[name]?.value, keys) : { found: false };
  };
}

/** Expands references to inputs and params. Returns undefined when a reference needs the output of a node, which is unknown before the run. */
function expandIfResolvable(value: unknown, lookup: ReferenceLookup): unknown {
  try {
    return expandReferences(value, lookup);
  } catch (thrown) {
    if (thrown instanceof UnresolvedReference) return undefined;
    throw thrown;
  }
}

// A quick test that most recipes fail, so that their nodes need not be searched.
function mayWatch({ nodes, flows, setup, teardown }: Recipe, registry: Job['registry']): boolean {
  if (flows.size > 0 || setup.length > 0 || teardown.length > 0) return true;
  for (const { action, body } of nodes.values()) if (body || registry.get(action)?.watchedFile) return true;
  return false;
}

type FileAtStart = ReturnType<ActionContext['fileAtStart']>;
