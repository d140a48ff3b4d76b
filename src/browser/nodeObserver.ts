// What the HUD and the recorder see of the nodes that run, and what they add to the record.

import type { UnexpectedLog } from '../evidence/issues.js';
import type { Capture } from '../evidence/journal.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { Phase, RecordPolicy, Status } from '../recipe/recipe.js';

/** It bounds its own time: a page that hangs must not hold up the run. */
export type NodeObserver = {
  nodeBegins(node: ObservedNode): void | Promise<void>;
  nodeEnds(node: ObservedNode, end: ObservedEnd): Observation | Promise<Observation>;
};

/** `opens`: other nodes run inside of it. `skip`: why it does not run. */
export type ObservedNode = {
  title: string;
  record: RecordPolicy;
  phase: Phase | undefined;
  opens: boolean;
  skip?: string | undefined;
  path: string;
  action: string;
  proofTarget: string | undefined;
  /** Its action asks for a page. */
  needsPage: boolean;
  /** Its action takes pictures by itself. */
  captures?: boolean | undefined;
  /** What its author says besides the intent. */
  detail?: string | undefined;
  /** How it ends the graph it stands in. */
  status?: Status | undefined;
};

/**
 * `final`: the run does not go on after it as if nothing had happened.
 * `signal`: aborted when the run is interrupted, so that nobody waits for what is kept of it.
 */
export type ObservedEnd = { failure?: RecipeError; final: boolean; captures: number; signal?: AbortSignal };

/** A capture may belong to an earlier node, which it then names. */
export type Observation = {
  captures?: readonly (Capture & { nodeId?: string })[];
  issues?: readonly UnexpectedLog[];
  failure?: RecipeError;
};
