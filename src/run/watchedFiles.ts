// The watched files as they are before anything runs: lines of an earlier run prove nothing.
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

  /** For a node that asks: the file when the run began, or now for one that was not known then. */
  get(projectRoot: string, path: string): FileAtStart {
    const file = resolve(projectRoot, path);
    const remembered = this.files.get(file);
    if (remembered) return { file: remembered, since: 'run' };
    return { file: new FileBaseline(projectRoot, file, this.oldBoundary), since: 'node' };
  }

  /** Between two nodes: a log that setup removed or emptied holds nothing old any more. */
  lookAgain(): void {
    for (const file of this.files.values()) file.refresh();
  }
}

function rememberWatched(job: Job, oldBoundary: bigint): Map<string, FileBaseline> {
  const { loaded, registry, projectRoot } = job;
  const files = new Map<string, FileBaseline>();
  if (!mayWatch(loaded.compiled.recipe, registry)) return files;
  const { main, teardown } = loaded.plan;
  for (const region of teardown ? [main, teardown] : [main]) {
    // What is inside of a node comes right after it, so that the latest params of a call are those of its caller.
    const given = new Map<PlanNode, unknown>();
    for (const { node, parent } of reachableNodes(region)) {
      const lookup = lookupOf(job, parent && given.get(parent));
      given.set(node, expandIfResolvable(node.recipe.fields.params, lookup) ?? (parent && given.get(parent)));
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

/** What it will be as far as that is known already: a value that nodes will give is not. */
function expandIfResolvable(value: unknown, lookup: ReferenceLookup): unknown {
  try {
    return expandReferences(value, lookup);
  } catch (thrown) {
    if (thrown instanceof UnresolvedReference) return undefined;
    throw thrown;
  }
}

// Most recipes watch nothing, and need not be gone through for it.
function mayWatch({ nodes, flows, setup, teardown }: Recipe, registry: Job['registry']): boolean {
  if (flows.size > 0 || setup.length > 0 || teardown.length > 0) return true;
  for (const { action, body } of nodes.values()) if (body || registry.get(action)?.watchedFile) return true;
  return false;
}

type FileAtStart = ReturnType<ActionContext['fileAtStart']>;
