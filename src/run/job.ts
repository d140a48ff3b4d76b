// The host of a run collects everything that the run needs in one object.
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

/** The values of the inputs, each with its source. */
export type Inputs = RunLine['inputs'];

export type Job = {
  id: string;
  loaded: LoadedRecipe;
  registry: Registry;
  /** The assertion operators that the project adds. */
  operators: Capabilities['operators'];
  /** The state refs that the project adds. */
  stateRefs: Capabilities['stateRefs'];
  host: Host;
  nodeObserver?: NodeObserver;
  journal: Journal;
  clock: Clock;
  projectRoot: string;
  /** The Git work tree at the start of the run. */
  tree?: GitTree | undefined;
  /** Lists the tracked files that have changed since the run began. Undefined when a reporter lists the changes of all runs at the end. */
  listTreeChanges?: (() => string[]) | undefined;
  inputs: Inputs;
  secrets: Secrets;
  /** The unique id of the run. */
  runId: string;
  /** The environment variables that child processes see in addition to the default ones, such as PATH. */
  passEnv: readonly string[];
  /** The base URL of pages and requests, when the host has one. */
  baseURL?: string | undefined;
  /** The hosts that requests may be sent to, in addition to the host of the base URL. `true` admits every host. */
  allowHosts?: true | readonly string[] | undefined;
  /** Receives the output of child processes while they run. Secrets are masked. */
  output?: OutputListener | undefined;
  /** Asks the user a question, for manual nodes. */
  ask: AskPerson;
  /** A run can pass although a claim is blocked. */
  allowBlocked: boolean;
  /** The verdict on a template recipe is the verdict of the reference runner of the format. */
  compat?: boolean;
  /** The program that runs the recipe, if the project names it. */
  runner?: Runner;
  /** The number of the host's retry, from 0. */
  attempt: number;
  nodeTimeoutMs: number;
  /** Waits for promises and timers that actions started in this process and did not await, so that their errors fail this run. */
  waitForLeftovers?: (() => Promise<void>) | undefined;
  /** The time limit of teardown, however long the graph took. */
  teardownMs: number;
};

export const defaultNodeTimeoutMs = 30_000;
export const defaultTeardownMs = 30_000;

/** The program that runs the recipes of a project, as the config names it. `git_ref` defaults to the commit of the project. */
export type Runner = {
  [key in 'name' | 'version' | 'git_ref']?: string | undefined;
} & { source: string };
