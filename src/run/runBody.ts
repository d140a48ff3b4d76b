// The nodes inside of a node: they are opened, run as the engine says, and waited for.
import type { BodyResult } from '../actions/action.js';
import { type FailureKind, RecipeError } from '../evidence/recipeError.js';
import type { Status } from '../recipe/recipe.js';
import type { Conductor, Flight } from './conduct.js';
import type { Prepared } from './prepareNode.js';

export function runBody({ tell, stopBelow }: Conductor, flight: Flight, { fields, items }: Prepared): Promise<BodyResult> {
  const { signal } = flight.stop;
  const inside = flight.scope.child(fields.params);
  flight.inside = inside;
  if (items) flight.items = items;
  signal.addEventListener('abort', () => stopBelow(flight, 'the node around it was stopped'), { once: true });
  return new Promise((resolve) => {
    flight.bodyEnded = (status) =>
      resolve({
        status,
        outputs: inside.outputs,
        items: Array.from({ length: items?.length ?? 0 }, (_, index) => inside.items[index] ?? null),
        last: inside.last,
        streams: inside.streams,
      });
    tell({ t: 'entered', path: flight.run.path, ...(items ? { items: items.length } : {}) }).go();
  });
}

export function bodyFailure({ reason }: Conductor, { failure }: Flight, status: Status): RecipeError | undefined {
  if (status === 'pass') return undefined;
  if (failure) return ownOf(failure);
  const kind: FailureKind = status === 'fail' ? 'assertion' : 'undecided';
  const { code, message } = reason() ?? { code: 'body.ended', message: `What it ran ended with status ${status}.` };
  return new RecipeError(code, kind, message);
}

/** What was passed over inside is a failure to whoever would try again, and to whoever would tolerate one. */
export function notedFailure({ run: { node, attempt }, noted }: Flight): RecipeError | undefined {
  return noted && (attempt + 1 < node.attempts || node.recipe.onFail === 'continue') ? ownOf(noted) : undefined;
}

function ownOf(failure: RecipeError): RecipeError {
  return new RecipeError(failure.code, failure.kind, failure.message, failure.at, { cause: failure });
}
