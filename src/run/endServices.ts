// Reports services that end by themselves during a run. When the run ends, ends the other services and stores their logs.
import type { RunServices } from '../actions/service/runServices.js';
import type { Artifact } from '../evidence/journal.js';
import { RecipeError, toRecipeError } from '../evidence/recipeError.js';
import type { Job } from './job.js';
import { keepArtifacts } from './node/keepArtifacts.js';
import type { NodeEnding } from './node/nodeJournalLines.js';
import type { RunValues } from './node/scope.js';

/** Adds issues about the services that ended by themselves before the end of the node. */
export function addServiceIssues(services: RunServices, job: Job, ending: NodeEnding): NodeEnding {
  const issues = services.takeIssues();
  if (issues.length === 0) return ending;
  return { ...ending, issues: [...(ending.issues ?? []), ...(job.secrets.vault.maskJson(issues) as typeof issues)] };
}

/** `problem`: a process that could not be ended, or a log that could not be stored. */
export type EndedServices = { artifacts: Artifact[]; problem?: RecipeError };

/** Ends the running services, and stores the logs that no node has stored. */
export async function endServices(job: Job, run: RunValues, { isUrgent }: { isUrgent: boolean }): Promise<EndedServices> {
  const ended = await run.services.stopAll({ isUrgent });
  const attach = async (capture: Parameters<NonNullable<Job['host']['attach']>>[0]): Promise<void> => job.host.attach?.(capture);
  const captures = job.host.attach ? ended.flatMap((service) => service.captures) : [];
  const survivors = ended.flatMap(({ result }) => result?.survivors ?? []);
  const message = `Processes of services did not end when they were killed: ${survivors.join(', ')}.`;
  const problem = survivors.length > 0 ? { problem: new RecipeError('service.not_stopped', 'environment', message) } : {};
  try {
    return { artifacts: await keepArtifacts({ job, run }, { attach }, { path: '', captures }), ...problem };
  } catch (thrown) {
    return { artifacts: [], problem: toRecipeError(thrown) };
  }
}
