// The observer of a run sees each node begin and end: the HUD, the recording, the messages of pages.
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
    return { failure: observerFault(thrown) };
  }
}

type ObservedEnding = { step: HostStep; info: ObservedNode; ending: NodeEnding };

/** The ending of a node with what the observer adds: captures, issues, a failure. */
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
    const all: NodeEnding = { ...ending };
    const failure = ending.failure ?? observation.failure;
    if (failure) all.failure = maskError(failure, vault);
    if (issues.length > 0) all.issues = [...(ending.issues ?? []), ...(vault.maskJson(issues) as typeof issues)];
    const artifacts = await keepArtifacts(scheduler, step, { path: info.path, captures });
    if (artifacts.length > 0) all.artifacts = [...(ending.artifacts ?? []), ...artifacts];
    return all;
  } catch (thrown) {
    return ending.failure ? ending : { ...ending, failure: maskError(observerFault(thrown), vault) };
  }
}

function observerFault(thrown: unknown): RecipeError {
  const error = toRecipeError(thrown);
  return thrown instanceof RecipeError
    ? error
    : new RecipeError('run.onlooker_failed', 'harness', error.message, undefined, { cause: thrown });
}
