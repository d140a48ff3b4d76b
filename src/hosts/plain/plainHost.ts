// The host of runs without a test runner: steps are lines of progress, and evidence goes straight into the directory.
import type { Call } from '../../browser/pageCalls.js';
import type { Plan } from '../../engine/plan.js';
import type { Host, HostStep, StepInfo } from '../../run/host.js';
import { countNodes } from '../shared/recordingOptions.js';
import type { ArtifactsDir } from './artifactsDir.js';

/** Calls a method of Playwright directly: there is no report that would show it as a step. */
export const plainCall = (async (target: object, method: PropertyKey, ...args: unknown[]) =>
  Reflect.apply(Reflect.get(target, method), target, args)) as Call;

type Progress = (line: string) => void;

/** `failure` is undefined for a node that did not fail. */
export type Watch = { begins(info: StepInfo): void; ends(info: StepInfo, failure: unknown): void };

export type ProgressOptions = { progress?: Progress | undefined; watch?: Watch | undefined };

/** `keep` writes a file of evidence into the package. */
export function plainHost(keep: ArtifactsDir['keep'], { progress, watch }: ProgressOptions = {}, plan: Plan): Host {
  const total = progress ? countNodes(plan) : 0;
  let count = 0;
  // One object serves all nodes, because it holds nothing of a node.
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
    attach: step.attach,
    step(info, body) {
      progress?.(`${info.skip === undefined ? 'RUN' : 'SKIP'} ${++count}/${Math.max(count, total)} ${info.title}`);
      return watch ? runWatched(watch, info, async () => body(step)) : body(step);
    },
  };
}

async function runWatched(watch: Watch, info: StepInfo, body: () => Promise<void>): Promise<void> {
  watch.begins(info);
  try {
    await body();
    watch.ends(info, undefined);
  } catch (thrown) {
    watch.ends(info, thrown);
    throw thrown;
  }
}
