// Plays the fates of scopes: a leaf ends as written, a group as its body ended, a cancelled run as unknown.
import type { RunEvent } from '../../src/engine/state.js';
import type { Tape } from './choiceTape.js';
import type { Flight, Player } from './minimalScheduler.js';
import { type Built, endingAt, itemsOf, scopeOf } from './scope.js';

export function scopePlayer(built: Built, tape: Tape): Player {
  return (ready) => eventOf(built, tape.oneOf(ready));
}

function eventOf(built: Built, { run, phase, body, cancelled }: Flight): RunEvent {
  const { path } = run;
  const scope = scopeOf(built, run);
  if (phase === 'finishing') return { t: 'settled', path, status: body };
  // What was stopped is neither tried again nor tolerated.
  if (cancelled) return { t: 'settled', path, status: 'unknown', final: true };
  if (scope.isGated) return { t: 'settled', path, status: 'skip' };
  if (!scope.inside) return { t: 'settled', path, status: endingAt(scope, path) };
  return scope.inside.kind === 'each' ? { t: 'entered', path, items: itemsOf(scope) } : { t: 'entered', path };
}
