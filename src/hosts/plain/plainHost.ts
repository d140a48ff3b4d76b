// Runs a recipe in this process, without a test runner: steps are lines of progress, evidence goes straight into the directory.
import type { Call } from '../../actions/action.js';
import { type Plan, reachable } from '../../graph/plan.js';
import type { Host } from '../../run/host.js';
import { insideOf, writeWhole } from '../../system/files.js';

/** A call that nobody reports. */
export const plainCall = (async (target: object, method: PropertyKey, ...args: unknown[]) =>
  Reflect.apply(Reflect.get(target, method), target, args)) as Call;

export type Progress = (line: string) => void;

export function plainHost(artifactsDir: string, progress: Progress, plan: Plan): Host {
  const total = [plan.main, ...(plan.teardown ? [plan.teardown] : [])].reduce(
    (sum, region) => sum + [...reachable(region)].length,
    0,
  );
  let count = 0;
  return {
    name: 'plain',
    version: process.versions.node,
    fixtures: {},
    async step(info, body) {
      progress(`${info.skip === undefined ? 'RUN' : 'SKIP'} ${++count}/${Math.max(count, total)} ${info.title}`);
      await body({
        attach: async ({ path, body: bytes }) => {
          const file = insideOf(artifactsDir, path);
          if (file === undefined) throw new Error(`The artifact path ${path} leaves the package.`);
          writeWhole(file, bytes);
        },
        end: async () => undefined,
        within: (child) => child(),
        call: plainCall,
      });
    },
  };
}
