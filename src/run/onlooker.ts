// Who looks on while nodes run and may add to what is kept of them: the HUD, the recording, what the page says.
import { andThen } from '../actions/settlePatterns.js';
import type { NodeObserver, Observation, ObservedNode } from '../browser/nodeObserver.js';
import { RecipeError, toRecipeError } from '../evidence/recipeError.js';
import type { Conductor } from './conduct.js';
import type { HostStep } from './host.js';
import { keepArtifacts } from './keepArtifacts.js';
import { maskedError } from './maskedError.js';
import type { Ending } from './nodeLines.js';

/** Tells the onlooker that a node begins; a failure of its own is what the node fails of. */
export function beginSeen(onlooker: NodeObserver, node: ObservedNode): Ending | undefined | Promise<Ending | undefined> {
  const failed = (thrown: unknown): Ending => ({ failure: ownFault(thrown) });
  try {
    const told = onlooker.nodeBegins(node);
    return told instanceof Promise ? told.then(() => undefined, failed) : undefined;
  } catch (thrown) {
    return failed(thrown);
  }
}

type Seen = { step: HostStep; onlooker: NodeObserver; node: ObservedNode; ending: Ending; final: boolean };

/** The ending of a node with what the onlooker saw beside it. */
export function endSeen(conductor: Conductor, seen: Seen): Ending | Promise<Ending> {
  const { onlooker, node, ending, final } = seen;
  const failed = (thrown: unknown): Ending =>
    ending.failure ? ending : { ...ending, failure: maskedError(ownFault(thrown), conductor.job.secrets.vault) };
  try {
    const captures = ending.artifacts?.length ?? 0;
    const { signal } = conductor;
    const sighting = onlooker.nodeEnds(node, { final, captures, signal, ...(ending.failure ? { failure: ending.failure } : {}) });
    const all = andThen(sighting, (told) => withSighting(conductor, seen, told));
    return all instanceof Promise ? all.catch(failed) : all;
  } catch (thrown) {
    return failed(thrown);
  }
}

function withSighting(conductor: Conductor, { step, node, ending }: Seen, sighting: Observation): Ending | Promise<Ending> {
  const { vault } = conductor.job.secrets;
  const { captures = [], issues = [] } = sighting;
  const all: Ending = { ...ending };
  const failure = ending.failure ?? sighting.failure;
  if (failure) all.failure = maskedError(failure, vault);
  if (issues.length > 0) all.issues = [...(ending.issues ?? []), ...(vault.maskJson(issues) as typeof issues)];
  if (captures.length === 0) return all;
  return keepArtifacts(conductor, step, { path: node.path, captures }).then((artifacts) => ({
    ...all,
    artifacts: [...(ending.artifacts ?? []), ...artifacts],
  }));
}

function ownFault(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  return thrown instanceof RecipeError
    ? error
    : new RecipeError('run.onlooker_failed', 'harness', error.message, undefined, { cause: thrown });
}
