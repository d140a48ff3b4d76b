// Everything one run needs, gathered once by its host.
import type { AskPerson } from '../actions/action.js';
import type { NodeObserver } from '../browser/nodeObserver.js';
import type { LoadedRecipe } from '../check/loadRecipe.js';
import type { Journal, RunLine } from '../evidence/journal.js';
import type { Capabilities } from '../registry/capabilities.js';
import type { Registry } from '../registry/registry.js';
import type { Clock } from '../system/clock.js';
import type { GitTree } from '../system/git/gitTree.js';
import type { OutputListener } from '../system/processes/runProcess.js';
import type { Host } from './host.js';
import type { Secrets } from './inputs/readSecrets.js';

/** What a recipe was given, and by whom. */
export type Inputs = RunLine['inputs'];

export type Job = {
  id: string;
  loaded: LoadedRecipe;
  registry: Registry;
  /** Operators and looks at state that the project adds. */
  operators: Capabilities['operators'];
  stateRefs: Capabilities['stateRefs'];
  host: Host;
  nodeObserver?: NodeObserver;
  journal: Journal;
  clock: Clock;
  projectRoot: string;
  /** The work tree when the run began. */
  tree?: GitTree | undefined;
  /** The tracked files that have changed since; missing where somebody else looks when all runs have ended. */
  treeChanges?: (() => string[]) | undefined;
  inputs: Inputs;
  secrets: Secrets;
  /** Names the run; no other run has it. */
  runId: string;
  /** Names of the environment that child processes may see besides the usual ones. */
  passEnv: readonly string[];
  /** What paths of pages and requests are relative to, where that is known. */
  baseURL?: string | undefined;
  /** Hosts that requests may be sent to, besides that of the base URL; true for every host. */
  allowHosts?: true | readonly string[] | undefined;
  /** Hears of what processes write as they write it, without the secrets of the run. */
  output?: OutputListener | undefined;
  /** Asks a person. */
  ask: AskPerson;
  /** A blocked claim does not keep the run from passing. */
  allowBlocked: boolean;
  /** The verdict on a template recipe is that of the reference of its format. */
  compat?: boolean;
  /** Who asks for the run, where that is known. */
  runner?: Runner;
  /** Which try of the host this is. */
  attempt: number;
  nodeTimeoutMs: number;
  /** Waits for what actions started in this process and did not wait for, so that its errors belong to the run. */
  waitForLeftovers?: (() => Promise<void>) | undefined;
  /** What teardown gets, whatever happened before. */
  teardownMs: number;
};

export const defaultNodeTimeoutMs = 30_000;
export const defaultTeardownMs = 30_000;
/** Who runs the recipes of a project, as the project says it; `git_ref` is the commit of the project unless it says another. */

export type Runner = {
  [key in 'name' | 'version' | 'git_ref']?: string | undefined;
} & { source: string };
