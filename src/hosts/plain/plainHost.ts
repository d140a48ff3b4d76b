// Runs a recipe in this process, without a test runner: steps are lines of progress, evidence goes straight into the directory.
import type { Call } from '../../actions/action.js';
import { type Plan, reachable } from '../../graph/plan.js';
import type { Host, HostStep } from '../../run/host.js';
import type { ArtifactsDir } from './artifactsDir.js';

/** A call that nobody reports. */
export const plainCall = (async (target: object, method: PropertyKey, ...args: unknown[]) =>
  Reflect.apply(Reflect.get(target, method), target, args)) as Call;

export type Progress = (line: string) => void;

/** `keep` puts evidence into the package. */
export function plainHost(keep: ArtifactsDir['keep'], progress: Progress | undefined, plan: Plan): Host {
  const total = progress ? nodesIn(plan) : 0;
  let count = 0;
  // The same for every node: there is nothing around it that would have to be told apart.
  const step: HostStep = {
    attach: async ({ path, body }) => keep(path, body),
    end: () => undefined,
    within: (child) => child(),
    call: plainCall,
  };
  return {
    name: 'plain',
    version: process.versions.node,
    fixtures: {},
    step(info, body) {
      progress?.(`${info.skip === undefined ? 'RUN' : 'SKIP'} ${++count}/${Math.max(count, total)} ${info.title}`);
      return body(step);
    },
  };
}

function nodesIn({ main, teardown }: Plan): number {
  let count = 0;
  for (const region of teardown ? [main, teardown] : [main]) for (const _ of reachable(region)) count++;
  return count;
}
