// The host of runs without a test runner. Steps become lines of progress, and evidence is written directly to the artifacts directory.
import type { Call } from '../../browser/pageCalls.js';
import type { Plan } from '../../engine/plan.js';
import type { Host, HostStep, StepInfo } from '../../run/host.js';
import { countNodes } from '../shared/recordingOptions.js';
import type { ArtifactsDir } from './artifactsDir.js';

/** Calls a method of Playwright directly, because there is no report that would show the call as a step. */
export const plainCall = (async (target: object, method: PropertyKey, ...args: unknown[]) =>
  Reflect.apply(Reflect.get(target, method), target, args)) as Call;

type Progress = (line: string) => void;

/** `failure` is undefined for a node that did not fail. */
export type Watch = { begins(info: StepInfo): void; ends(info: StepInfo, failure: unknown): void };

export type ProgressOptions = { progress?: Progress | undefined; watch?: Watch | undefined };

/** `writeEvidence`: writes a file of evidence to the package. */
export function plainHost(
  writeEvidence: ArtifactsDir['writeEvidence'],
  { progress, watch }: ProgressOptions = {},
  plan: Plan,
): Host {
  const total = progress ? countNodes(plan) : 0;
  let count = 0;
  // All nodes share one object, because the object has no state.
  const step: HostStep = {
    attach: async ({ path, body }) => writeEvidence(path, body),
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
