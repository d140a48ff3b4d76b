// Notifies the observer of a run when each node begins and ends. The observer shows the HUD, records, and collects page messages.
import type { ObservedNode } from '../../browser/nodeObserver.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { HostStep } from '../host.js';
import { maskError } from '../maskErrorsAndJournal.js';
import { keepArtifacts } from './keepArtifacts.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';
import { type NodeEnding, outcomeOf } from './nodeJournalLines.js';

/** An error of the observer fails the node before its action runs. */
export async function observeBegin({ job }: Scheduler, node: ObservedNode): Promise<NodeEnding | undefined> {
  try {
    await job.nodeObserver?.nodeBegins(node);
    return undefined;
  } catch (thrown) {
    return { failure: toObserverError(thrown) };
  }
}

type ObservedEnding = { step: HostStep; info: ObservedNode; ending: NodeEnding };

/** Returns the ending of the node with the captures, issues and failure that the observer adds. */
export async function observeEnd(
  scheduler: Scheduler,
  execution: NodeExecution,
  { step, info, ending }: ObservedEnding,
): Promise<NodeEnding> {
  const { nodeObserver, secrets } = scheduler.job;
  if (!nodeObserver) return ending;
  const { vault } = secrets;
  const outcome = outcomeOf(execution.run, ending);
  const end = {
    final: outcome === 'failed' || outcome === 'stopped',
    captures: ending.artifacts?.length ?? 0,
    signal: scheduler.signal,
  };
  try {
    const observation = await nodeObserver.nodeEnds(info, ending.failure ? { ...end, failure: ending.failure } : end);
    const { captures = [], issues = [] } = observation;
    const merged: NodeEnding = { ...ending };
    const failure = ending.failure ?? observation.failure;
    if (failure) merged.failure = maskError(failure, vault);
    if (issues.length > 0) merged.issues = [...(ending.issues ?? []), ...(vault.maskJson(issues) as typeof issues)];
    const artifacts = await keepArtifacts(scheduler, step, { path: info.path, captures });
    if (artifacts.length > 0) merged.artifacts = [...(ending.artifacts ?? []), ...artifacts];
    return merged;
  } catch (thrown) {
    return ending.failure ? ending : { ...ending, failure: maskError(toObserverError(thrown), vault) };
  }
}

function toObserverError(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  return thrown instanceof RecipeError
    ? error
    : new RecipeError('run.onlooker_failed', 'harness', error.message, undefined, { cause: thrown });
}
