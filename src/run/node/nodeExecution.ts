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
  /** Where its output goes: the values of the region it stands in. */
  regionScope: Scope;
  /** What it reads: the same, and its item if it has one. */
  scope: Scope;
  /** As authored, with what it inherits and the intent as a person reads it. */
  node: RecipeNode;
  /** What its children read and leave, once its body is open. */
  bodyScope?: Scope;
  items?: readonly unknown[];
  step?: HostStep;
  phase?: Phase;
  onBodyEnd?: (status: Status) => void;
  skips: Promise<void>[];
  /** The first child that failed. */
  failure?: RecipeError;
  /** The first failure inside of it that was noted while the rest ran on. */
  firstNoted?: RecipeError;
  /** Why nothing more may start below it. */
  stopReason?: string;
};

/** What the nodes of one region share, and how they tell the engine about themselves. */
export type Scheduler = {
  job: Job;
  streams: Map<string, CapturedOutput>;
  run: RunValues;
  /** Aborted when the run is interrupted. */
  signal: AbortSignal;
  /** The first node of the region that failed. */
  failure?: RecipeError;
  /** Tells the engine at once, in the order of the journal. The nodes that follow start when `proceed` is called. */
  sendEvent(event: RunEvent): { proceed(): void };
  /** Why the engine ended the run before its end. */
  endReason(): Reason | undefined;
  /** Stops the nodes inside a node and starts no more of them. */
  stopBelow(execution: NodeExecution, why: string): void;
};
