// A player that chooses at random: any running node may get the next event, and may end in any way.
import type { RunEvent, SettledEvent } from '../../src/engine/state.js';
import type { Tape } from './choiceTape.js';
import type { Player, RunningNode } from './minimalScheduler.js';

type Ending = SettledEvent['status'];

const pass = (times: number): Ending[] => Array.from({ length: times }, () => 'pass');
const endingMixes: Ending[][] = [
  [...pass(6), 'fail', 'fail', 'unknown', 'skip'],
  [...pass(20), 'fail', 'unknown', 'skip'],
];
const afterCancel: Ending[] = ['unknown', 'unknown', 'unknown', 'fail', 'pass'];

export function randomPlayer(tape: Tape): Player {
  const mix = tape.oneOf(endingMixes);
  let mayStop = tape.below(8) === 7;
  return (ready) => {
    if (mayStop && tape.below(12) === 0) {
      mayStop = false;
      return { t: 'stop', reason: { code: 'run.interrupted', message: 'Someone pressed a key.' } };
    }
    const chosen = tape.oneOf(ready);
    return chosen.phase === 'started' && chosen.run.node.body ? beginNode(chosen, tape) : endNode(chosen, mix, tape);
  };
}

// The body of a cancelled node may already have begun.
function beginNode(running: RunningNode, tape: Tape): RunEvent {
  const { path, node } = running.run;
  if (running.cancelled && tape.below(2) === 0) return createEndEvent(running, 'unknown', tape);
  if (tape.below(8) === 0) return createEndEvent(running, 'skip', tape);
  return node.body?.kind === 'each' ? { t: 'entered', path, items: tape.below(6) } : { t: 'entered', path };
}

function endNode(running: RunningNode, mix: readonly Ending[], tape: Tape): SettledEvent {
  if (running.cancelled) return createEndEvent(running, tape.oneOf(afterCancel), tape);
  const usesBodyStatus = running.phase === 'finishing' && tape.below(8) > 0;
  return createEndEvent(running, usesBodyStatus ? running.body : tape.oneOf(mix), tape);
}

function createEndEvent({ run }: RunningNode, status: Ending, tape: Tape): SettledEvent {
  const event: SettledEvent = { t: 'settled', path: run.path, status };
  if (run.node.next.kind === 'cases' && tape.below(3) > 0) event.case = tape.oneOf(['default', 'case1', 'case2', 'elsewhere']);
  if (status !== 'skip' && tape.below(10) === 9) event.final = true;
  const edgeBits = tape.below(32);
  const fired = [0, 1, 2, 3, 4].filter((index) => edgeBits & (1 << index));
  if (fired.length > 0) event.fired = fired;
  return event;
}
