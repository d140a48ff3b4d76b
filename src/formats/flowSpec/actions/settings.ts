// What a project says about its flow-specs. None of it can be said by a document.

import type { Lookup, PrivateHosts } from '../network/hostGuard.js';
import type { Vendor } from '../vendorModel.js';
import type { TargetResolver } from './targetResolver.js';

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

export type Settled = Required<Omit<FlowSettings, 'resolver' | 'lookup'>> & Pick<FlowSettings, 'resolver' | 'lookup'>;

export function settle(given: FlowSettings): Settled {
  return {
    ...{ allowPrivateHosts: [], subresources: 'allow', beacons: 'answer', vendors: [] },
    ...{ failOn: 'critical', stepMs: 15_000, expectMs: 5_000, resolverCalls: 5 },
    ...given,
  };
}
