// How fast a run is shown to a person: what `playback` of the workflow says.

import { systemClock } from '../../system/clock.js';
import type { SeenNode } from '../onlooker.js';

/** As the workflow spells it. There is nobody to ask for the next step, so that `step` goes on by itself, too. */
export type Playback = { mode?: 'off' | 'auto' | 'step' | undefined; slow_ms?: number | undefined };

const usualMs = 1_000;

export async function pauseAfter(node: SeenNode, playback: Playback | undefined, signal: AbortSignal | undefined): Promise<void> {
  const isShown = node.needsPage && !node.opens && node.skip === undefined;
  if (!playback || playback.mode === 'off' || !isShown || signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      withdraw();
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const withdraw = systemClock.after(playback.slow_ms ?? usualMs, over);
    signal?.addEventListener('abort', over, { once: true });
  });
}
