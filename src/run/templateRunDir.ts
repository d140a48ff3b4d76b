// What a template recipe asks about its own run, where nobody who started it has said so: its id, and a directory that goes with it.
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
  const isOpen = (name: RunVariable): boolean => compiled.recipe.inputs.has(name) && !Object.hasOwn(inputs, name);
  const open = compiled.hasReferenceVerdict ? runVariableNames.filter(isOpen) : [];
  if (open.length === 0) return { inputs, remove: () => undefined };
  const scratch = open.some((name) => directoryNames.includes(name)) ? new TemporaryDirectory('run') : undefined;
  const values = buildRunVariables({ run: runId, stateDir: scratch?.path ?? '' });
  const given = open.map((name) => [name, { value: values[name], origin: 'api' as const }]);
  return { inputs: { ...inputs, ...Object.fromEntries(given) }, remove: () => scratch?.remove() };
}
