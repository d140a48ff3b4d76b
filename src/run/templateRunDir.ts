// Sets the run variables of a template recipe that the caller has not set: the id of the run, and a temporary directory for the run.
import { buildRunVariables, type RunVariable, runVariableNames } from '../formats/template/runVariables.js';
import { TemporaryDirectory } from '../system/files/temporaryDirectory.js';
import type { Inputs, Job } from './job.js';

export type TemplateRunDir = { inputs: Inputs; remove(): void };

const directoryNames: readonly RunVariable[] = ['state_dir', 'communication_file'];

export function openTemplateRunDir({
  loaded: { compiled },
  inputs,
  runId,
}: Pick<Job, 'loaded' | 'inputs' | 'runId'>): TemplateRunDir {
  const isUnset = (name: RunVariable): boolean => compiled.recipe.inputs.has(name) && !Object.hasOwn(inputs, name);
  const unset = compiled.hasReferenceVerdict ? runVariableNames.filter(isUnset) : [];
  if (unset.length === 0) return { inputs, remove: () => undefined };
  const directory = unset.some((name) => directoryNames.includes(name)) ? new TemporaryDirectory('run') : undefined;
  const values = buildRunVariables({ run: runId, stateDir: directory?.path ?? '' });
  const variables = unset.map((name) => [name, { value: values[name], origin: 'api' as const }]);
  return { inputs: { ...inputs, ...Object.fromEntries(variables) }, remove: () => directory?.remove() };
}
