// Everything one run needs, gathered once by its host.
import type { Registry } from '../actions/registry.js';
import type { Loaded } from '../check/loadRecipe.js';
import type { Journal, RunLine } from '../evidence/journal.js';
import type { Clock } from '../system/clock.js';
import type { Host } from './host.js';

/** What a recipe was given, and by whom. */
export type Inputs = RunLine['inputs'];

export type Job = {
  id: string;
  loaded: Loaded;
  registry: Registry;
  host: Host;
  journal: Journal;
  clock: Clock;
  projectRoot: string;
  inputs: Inputs;
  /** Names the run; no other run has it. */
  runId: string;
  /** Names of the environment that child processes may see besides the usual ones. */
  passEnv: readonly string[];
  /** Which try of the host this is. */
  attempt: number;
  nodeTimeoutMs: number;
};

export const defaultNodeTimeoutMs = 30_000;
