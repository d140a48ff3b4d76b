// Everything one run needs, gathered once by its host.
import type { Registry } from '../actions/registry.js';
import type { Loaded } from '../check/loadRecipe.js';
import type { Journal } from '../evidence/journal.js';
import type { Clock } from '../system/clock.js';
import type { Host } from './host.js';

export type Job = {
  id: string;
  loaded: Loaded;
  registry: Registry;
  host: Host;
  journal: Journal;
  clock: Clock;
  projectRoot: string;
  inputs: Readonly<Record<string, unknown>>;
  /** Which try of the host this is. */
  attempt: number;
  nodeTimeoutMs: number;
};

export const defaultNodeTimeoutMs = 30_000;
