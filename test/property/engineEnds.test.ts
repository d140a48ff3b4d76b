import fc from 'fast-check';
import { test } from 'vitest';
import { arbitraryLimits, arbitraryRegion } from './arbitraryPlan.js';
import { Tape, tapes } from './choiceTape.js';
import { drive } from './minimalScheduler.js';
import { buildRegion } from './planSpec.js';
import { randomPlayer } from './randomPlayer.js';
import { runCount, timeoutMs } from './runCount.js';
import { Watch } from './watchRun.js';

test('every run ends, and no decision on the way breaks a rule', { timeout: timeoutMs }, () => {
  const property = fc.property(arbitraryRegion, arbitraryLimits, tapes, (spec, limits, tape) => {
    const region = buildRegion(spec);
    const watch = new Watch(region, limits);
    drive({ region, limits, player: randomPlayer(new Tape(tape)), watch: (event, decision) => watch.see(event, decision) });
  });
  fc.assert(property, runCount(2_000, 30_000));
});
