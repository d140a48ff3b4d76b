// A performer without a will: any run in flight goes on, and it ends in any way.
import type { RunEvent, SettledEvent } from '../../src/engine/state.js';
import type { Tape } from './choiceTape.js';
import type { Flight, Player } from './minimalScheduler.js';

type Ending = SettledEvent['status'];

const pass = (times: number): Ending[] => Array.from({ length: times }, () => 'pass');
const moods: Ending[][] = [
  [...pass(6), 'fail', 'fail', 'unknown', 'skip'],
  [...pass(20), 'fail', 'unknown', 'skip'],
];
const afterCancel: Ending[] = ['unknown', 'unknown', 'unknown', 'fail', 'pass'];

export function randomPlayer(tape: Tape): Player {
  const mood = tape.oneOf(moods);
  let mayBeStopped = tape.below(8) === 7;
  return (ready) => {
    if (mayBeStopped && tape.below(12) === 0) {
      mayBeStopped = false;
      return { t: 'stop', reason: { code: 'run.interrupted', message: 'Someone pressed a key.' } };
    }
    const flight = tape.oneOf(ready);
    return flight.phase === 'given' && flight.run.node.body ? begin(flight, tape) : settle(flight, mood, tape);
  };
}

// A cancelled run may have been entered in the same instant.
function begin(flight: Flight, tape: Tape): RunEvent {
  const { path, node } = flight.run;
  if (flight.cancelled && tape.below(2) === 0) return settled(flight, 'unknown', tape);
  if (tape.below(8) === 0) return settled(flight, 'skip', tape);
  return node.body?.kind === 'each' ? { t: 'entered', path, items: tape.below(6) } : { t: 'entered', path };
}

function settle(flight: Flight, mood: readonly Ending[], tape: Tape): SettledEvent {
  if (flight.cancelled) return settled(flight, tape.oneOf(afterCancel), tape);
  const isBodyBelieved = flight.phase === 'finishing' && tape.below(8) > 0;
  return settled(flight, isBodyBelieved ? flight.body : tape.oneOf(mood), tape);
}

function settled({ run }: Flight, status: Ending, tape: Tape): SettledEvent {
  const event: SettledEvent = { t: 'settled', path: run.path, status };
  if (run.node.next.kind === 'cases' && tape.below(3) > 0) event.case = tape.oneOf(['default', 'case1', 'case2', 'elsewhere']);
  if (status !== 'skip' && tape.below(10) === 9) event.final = true;
  const chosen = tape.below(32);
  const fired = [0, 1, 2, 3, 4].filter((index) => chosen & (1 << index));
  if (fired.length > 0) event.fired = fired;
  return event;
}
