// The interface between a run and its observers, the HUD and the recorder: the nodes they see and the captures they return.

import type { UnexpectedLog } from '../evidence/issues.js';
import type { Capture } from '../evidence/journal.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { Phase, RecordPolicy, Status } from '../recipe/recipe.js';

/** An observer limits its own time, so that a page that hangs cannot block the run. */
export type NodeObserver = {
  nodeBegins(node: ObservedNode): void | Promise<void>;
  nodeEnds(node: ObservedNode, end: ObservedEnd): Observation | Promise<Observation>;
};

/** `opens`: the node has inner nodes. `skip`: why the node is skipped. */
export type ObservedNode = {
  title: string;
  record: RecordPolicy;
  phase: Phase | undefined;
  opens: boolean;
  skip?: string | undefined;
  path: string;
  action: string;
  proofTarget: string | undefined;
  /** The action of the node uses a page. */
  needsPage: boolean;
  /** The action of the node takes screenshots itself. */
  captures?: boolean | undefined;
  /** The author's text for the HUD, in addition to the intent. */
  detail?: string | undefined;
  /** For an end node: the status with which it ends its graph. */
  status?: Status | undefined;
};

/**
 * `final`: the node failed, and its failure is neither retried nor tolerated.
 * `signal`: aborted when the run is interrupted. The observer must then return at once.
 */
export type ObservedEnd = { failure?: RecipeError; final: boolean; captures: number; signal?: AbortSignal };

/** `nodeId`: the earlier node to which a capture belongs. */
export type Observation = {
  captures?: readonly (Capture & { nodeId?: string })[];
  issues?: readonly UnexpectedLog[];
  failure?: RecipeError;
};
