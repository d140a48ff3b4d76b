import type { NodeRun, Reason, RunEvent } from '../../engine/state.js';
import type { RecipeError } from '../../evidence/recipeError.js';
import type { Phase, RecipeNode, Status } from '../../recipe/recipe.js';
import type { CapturedOutput } from '../../system/processes/runProcess.js';
import type { HostStep } from '../host.js';
import type { Job } from '../job.js';
import type { RunValues, Scope } from './scope.js';
import type { StopSignal } from './withDeadline.js';

/** One attempt to run a node. */
export type NodeExecution = {
  run: NodeRun;
  stop: StopSignal;
  parent?: NodeExecution;
  /** The values of the region that contains the node. The node stores its output there. */
  regionScope: Scope;
  /** The values that the node reads: `regionScope`, plus the item in an `rw.each`. */
  scope: Scope;
  /** The authored node, with its inherited claim, and with the references in its intent expanded. */
  node: RecipeNode;
  /** The values that the children of the node read and store. Set when the body opens. */
  bodyScope?: Scope;
  items?: readonly unknown[];
  step?: HostStep;
  phase?: Phase;
  onBodyEnd?: (status: Status) => void;
  skips: Promise<void>[];
  /** The first child that failed. */
  failure?: RecipeError;
  /** The first failure of a descendant with `on_fail: note`, after which the region continued. */
  firstNoted?: RecipeError;
  /** Why no further node may start inside this one. */
  stopReason?: string;
};

/** The state that all nodes of a region share, and their connection to the engine. */
export type Scheduler = {
  job: Job;
  streams: Map<string, CapturedOutput>;
  run: RunValues;
  /** Aborted when the run is interrupted. */
  signal: AbortSignal;
  /** The failure of the first node of the region that failed. */
  failure?: RecipeError;
  /** Sends an event to the engine immediately, so that events have the order of the journal. `proceed` starts the next nodes. */
  sendEvent(event: RunEvent): { proceed(): void };
  /** Why the engine ended the run early. */
  endReason(): Reason | undefined;
  /** Stops all nodes inside a node, and starts no further ones there. */
  stopBelow(execution: NodeExecution, why: string): void;
};
