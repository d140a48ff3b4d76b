// A player for scopes: a leaf gets its fixed ending, a group the status of its body, and a cancelled node the status unknown.
import type { RunEvent } from '../../src/engine/state.js';
import type { Tape } from './choiceTape.js';
import type { Player, RunningNode } from './minimalScheduler.js';
import { type BuiltScopes, endingAt, itemsOf, scopeOf } from './scope.js';

export function scopePlayer(built: BuiltScopes, tape: Tape): Player {
  return (ready) => eventOf(built, tape.oneOf(ready));
}

function eventOf(built: BuiltScopes, { run, phase, body, cancelled }: RunningNode): RunEvent {
  const { path } = run;
  const scope = scopeOf(built, run);
  if (phase === 'finishing') return { t: 'settled', path, status: body };
  // A node that was stopped is neither retried nor tolerated.
  if (cancelled) return { t: 'settled', path, status: 'unknown', final: true };
  if (scope.isSkipped) return { t: 'settled', path, status: 'skip' };
  if (!scope.body) return { t: 'settled', path, status: endingAt(scope, path) };
  return scope.body.kind === 'each' ? { t: 'entered', path, items: itemsOf(scope) } : { t: 'entered', path };
}
