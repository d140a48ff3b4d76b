// What a project says about its flow-specs. None of it can be said by a document.

import type { Page } from '@playwright/test';
import type { Lookup, PrivateHosts } from './network/privateHosts.js';
import type { Candidate } from './targets/resolveTarget.js';
import type { Vendor } from './vendors.js';

export type FlowSettings = {
  /** Hosts that may be private, such as "localhost:3000"; true for all of them. */
  allowPrivateHosts?: PrivateHosts;
  /** Whether requests other than navigations may go beyond the hosts of the flow. */
  subresources?: 'allow' | 'admitted-only';
  /** Whether beacons are answered here, or sent on to their vendors. */
  beacons?: 'answer' | 'send';
  /** More vendors than the registry has. */
  vendors?: readonly Vendor[];
  /** From which severity on a finding fails the test. */
  failOn?: 'critical' | 'warning' | 'none';
  /** How long a step may take to find its element. */
  stepMs?: number;
  /** How long an expect may take to come true; 0 looks once. */
  expectMs?: number;
  /** Finds what a description means when the page alone does not say. */
  resolver?: TargetResolver;
  /** How often a run may ask it. */
  resolverCalls?: number;
  /** The addresses of a name, where a project has its own. */
  lookup?: Lookup;
};

export type ResolvedSettings = Required<Omit<FlowSettings, 'resolver' | 'lookup'>> & Pick<FlowSettings, 'resolver' | 'lookup'>;

export function resolveSettings(settings: FlowSettings): ResolvedSettings {
  return {
    ...{ allowPrivateHosts: [], subresources: 'allow', beacons: 'answer', vendors: [] },
    ...{ failOn: 'critical', stepMs: 15_000, expectMs: 5_000, resolverCalls: 5 },
    ...settings,
  };
}

// A project's own way to find what a description means, such as a model: asked last, and only so often.

export type ResolverRequest = {
  target: string;
  action: string;
  url: string;
  /** What on the page could be meant, without the secrets of the run. */
  candidates: readonly Candidate[];
  /** As it is: what is read here by hand may hold what was typed. */
  page: Page;
  signal: AbortSignal;
};

/** Gives the index of a candidate, or a selector; nothing when it does not know. Whatever it throws means that it is not available. */
export type TargetResolver = (request: ResolverRequest) => Promise<{ index: number } | { selector: string } | undefined>;
