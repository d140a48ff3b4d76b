// Decides how a run records its pages, and what a person who watches the browser sees.
import { phaseOf, recordOf } from '../../actions/phaseDefaults.js';
import type { BrowserOptions } from '../../browser/launch/launchBrowser.js';
import type { PageRecorderOptions } from '../../browser/pageRecorder.js';
import type { RunPagesOptions } from '../../browser/runPages.js';
import { type Plan, reachableNodes } from '../../engine/plan.js';
import type { Job } from '../../run/job.js';

/** The parts of a run that decide how its pages are recorded. */
type RecordingInputs = Pick<Job, 'loaded' | 'secrets' | 'registry'> & {
  browser?: BrowserOptions;
  /** Whether the host records a video of the whole run. */
  isVideoRecorded?: boolean;
};

export function recordingOptions(inputs: RecordingInputs): PageRecorderOptions {
  const { loaded, browser, secrets } = inputs;
  const { title, json } = loaded.compiled.recipe;
  const isHeaded = browser?.headed === true;
  return {
    title,
    total: countNodes(loaded.plan),
    record: true,
    video: 'on',
    hasSecrets: secrets.vault.names.length > 0,
    ...(isHeaded || inputs.isVideoRecorded || hasProofWindow(inputs) ? { hud: {} } : {}),
    ...(isHeaded ? { playback: (json as RecipeWithPlayback).validate?.workflow?.playback } : {}),
  };
}

/** Returns a function that finds the secrets of the run in the content of pages, or undefined for a run without secrets. */
export function secretsFinderOf({ secrets: { vault } }: Pick<RecordingInputs, 'secrets'>): RunPagesOptions['secretsIn'] {
  return vault.names.length > 0 ? vault.findRanges : undefined;
}

/** Returns the options of a run without Playwright, which connects to the debugging port of an app and takes no screenshots. */
export function portRecordingOptions({ loaded }: RecordingInputs): PageRecorderOptions {
  const noScreenshotReason =
    'There is no screenshot, because recipewright connects to the debugging port of the app without Playwright.';
  return { total: countNodes(loaded.plan), record: false, video: 'off', noScreenshotReason };
}

export function countNodes({ main, teardown }: Plan): number {
  let count = 0;
  for (const region of teardown ? [main, teardown] : [main]) for (const _ of reachableNodes(region)) count++;
  return count;
}

type RecipeWithPlayback = { validate?: { workflow?: { playback?: PageRecorderOptions['playback'] } } };

function hasProofWindow({ loaded: { plan, compiled }, registry }: RecordingInputs): boolean {
  const { flows } = compiled.recipe;
  for (const { node } of reachableNodes(plan.main)) {
    const action = registry.get(node.recipe.action);
    if (action && recordOf(node.recipe, phaseOf(node.recipe, action, flows), flows) === 'proof_window') return true;
  }
  return false;
}
