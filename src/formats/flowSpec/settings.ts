// The settings of a project for its flow-specs. A document cannot change them.

import type { Lookup, PrivateHosts } from './network/privateHosts.js';
import type { Candidate } from './targets/candidates.js';
import type { Vendor } from './vendors.js';

export type FlowSettings = {
  /** Private hosts that flows may connect to, such as "localhost:3000". `true` allows all of them. */
  allowPrivateHosts?: PrivateHosts;
  /** Whether requests other than navigations may leave the hosts of the flow. */
  subresources?: 'allow' | 'admitted-only';
  /** Whether beacons are answered locally or sent to their vendors. */
  beacons?: 'answer' | 'send';
  /** Vendors in addition to the built-in ones. */
  vendors?: readonly Vendor[];
  /** The lowest severity of a finding that fails the test. */
  failOn?: 'critical' | 'warning' | 'none';
  /** The timeout for finding the element of a step. */
  stepMs?: number;
  /** The timeout of an expect; 0 checks once. */
  expectMs?: number;
  /** Finds the element of a description that the page alone does not resolve. */
  resolver?: TargetResolver;
  /** The maximum number of resolver calls per run. */
  resolverCalls?: number;
  /** Resolves hostnames; by default, DNS. */
  lookup?: Lookup;
};

export type ResolvedSettings = Required<Omit<FlowSettings, 'resolver' | 'lookup'>> & Pick<FlowSettings, 'resolver' | 'lookup'>;

export function resolveSettings(settings: FlowSettings): ResolvedSettings {
  return {
    allowPrivateHosts: [],
    subresources: 'allow',
    beacons: 'answer',
    vendors: [],
    failOn: 'critical',
    stepMs: 15_000,
    expectMs: 5_000,
    resolverCalls: 5,
    ...settings,
  };
}

/** `P`: the type of the page. Write `ResolverRequest<Page>` with the `Page` of Playwright where Playwright is installed. */
export type ResolverRequest<P = unknown> = {
  target: string;
  action: string;
  url: string;
  /** Elements of the page that could match the description. Secrets of the run are masked. */
  candidates: readonly Candidate[];
  /** The page itself, including typed values. Secrets are not masked. */
  page: P;
  signal: AbortSignal;
};

/**
 * A function of the project, such as a call of a model, that finds the element of a description. It returns the index of a
 * candidate, a selector, or undefined when it does not know. Any error counts as "not available".
 */
export type TargetResolver<P = unknown> = {
  // A method, so that a resolver for the Page of Playwright fits here: a type of the package must not import an optional peer.
  resolve(request: ResolverRequest<P>): Promise<{ index: number } | { selector: string } | undefined>;
}['resolve'];
