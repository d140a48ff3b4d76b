// Decides how the pages of a run are shown and recorded: HUD, video, pace, secrets.
import { phaseOf, recordOf } from '../../actions/phase.js';
import type { PageRecorderOptions } from '../../browser/pageRecorder.js';
import type { RunPagesOptions } from '../../browser/runPages.js';
import { reachableNodes } from '../../engine/plan.js';
import { countNodes } from './plainHost.js';
import type { Ready } from './prepareRun.js';

/** The parts of a run that decide how its pages are recorded. */
export type RecordingInputs = Pick<Ready, 'loaded' | 'browser' | 'secrets' | 'registry'> & {
  /** Whether the host records a video of the whole run. */
  isFilmed?: boolean;
};

export function recordingOptions(ready: RecordingInputs): PageRecorderOptions {
  const { loaded, browser, secrets } = ready;
  const { title, json } = loaded.compiled.recipe;
  const isHeaded = browser?.headed === true;
  return {
    title,
    total: countNodes(loaded.plan),
    record: true,
    video: 'on',
    hasSecrets: secrets.vault.names.length > 0,
    ...(isHeaded || ready.isFilmed || hasProofWindow(ready) ? { hud: {} } : {}),
    ...(isHeaded ? { playback: (json as RecipeWithPlayback).validate?.workflow?.playback } : {}),
  };
}

/** Finds the secrets of a run in the texts of its pages; undefined when the run has none. */
export function secretsFinderOf({ secrets: { vault } }: Pick<RecordingInputs, 'secrets'>): RunPagesOptions['secretsIn'] {
  return vault.names.length > 0 ? vault.places : undefined;
}

/** For apps that are attached to by their port without Playwright, which would take the pictures. */
export function portRecordingOptions({ loaded }: RecordingInputs): PageRecorderOptions {
  const unseen = 'There is no picture of this: without Playwright, recipewright reaches the app only through its debugging port.';
  return { total: countNodes(loaded.plan), record: false, video: 'off', unseen };
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
