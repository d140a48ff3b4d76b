// How the pages of a run are looked on at: for a person at the window, and for the recording.

import { phaseOf, recordOf } from '../../actions/phase.js';
import type { PageRecorderOptions } from '../../browser/pageRecorder.js';
import type { RunPagesOptions } from '../../browser/runPages.js';
import { reachableNodes } from '../../engine/plan.js';
import { nodesIn } from './plainHost.js';
import type { Ready } from './prepareRun.js';

/** What of a run decides it. */
export type LookedAt = Pick<Ready, 'loaded' | 'browser' | 'secrets' | 'registry'> & {
  /** The host makes a video of all of it. */
  isFilmed?: boolean;
};

export function lookingOn(ready: LookedAt): PageRecorderOptions {
  const { loaded, browser, secrets } = ready;
  const { title, json } = loaded.compiled.recipe;
  const isHeaded = browser?.headed === true;
  return {
    ...{ title, total: nodesIn(loaded.plan), record: true, video: 'on', hasSecrets: secrets.vault.names.length > 0 },
    ...(isHeaded || ready.isFilmed || isRecorded(ready) ? { hud: {} } : {}),
    ...(isHeaded ? { playback: (json as Paced).validate?.workflow?.playback } : {}),
  };
}

/** Who finds the secrets of a run in what its pages show. */
export function lookoutOf({ secrets: { vault } }: Pick<LookedAt, 'secrets'>): RunPagesOptions['secretsIn'] {
  return vault.names.length > 0 ? vault.places : undefined;
}

/** Where there is a port and no Playwright, nobody takes pictures. */
export function listeningTo({ loaded }: LookedAt): PageRecorderOptions {
  const unseen = 'There is no picture of this: without Playwright an app is reached by its port alone.';
  return { total: nodesIn(loaded.plan), record: false, video: 'off', unseen };
}

type Paced = { validate?: { workflow?: { playback?: PageRecorderOptions['playback'] } } };

function isRecorded({ loaded: { plan, compiled }, registry }: LookedAt): boolean {
  const { flows } = compiled.recipe;
  for (const { node } of reachableNodes(plan.main)) {
    const action = registry.get(node.recipe.action);
    if (action && recordOf(node.recipe, phaseOf(node.recipe, action, flows), flows) === 'proof_window') return true;
  }
  return false;
}
