import fc from 'fast-check';
import { test } from 'vitest';
import { arbitraryLimits, arbitraryRegion } from './arbitraryPlan.js';
import { RunChecker } from './checkRun.js';
import { Tape, tapes } from './choiceTape.js';
import { playRegion } from './minimalScheduler.js';
import { buildRegion } from './planSpec.js';
import { randomPlayer } from './randomPlayer.js';
import { runCount, timeoutMs } from './runCount.js';

test('every run ends, and no decision on the way breaks a rule', { timeout: timeoutMs }, () => {
  const property = fc.property(arbitraryRegion, arbitraryLimits, tapes, (spec, limits, tape) => {
    const region = buildRegion(spec);
    const checker = new RunChecker(region, limits);
    playRegion({
      region,
      limits,
      player: randomPlayer(new Tape(tape)),
      watch: (event, decision) => checker.check(event, decision),
    });
  });
  fc.assert(property, runCount(2_000, 30_000));
});
