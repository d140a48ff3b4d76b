// What a template recipe asks about its own run, where nobody who started it has said so: its id, and a directory that goes with it.
import { type RunName, runNames, runValues } from '../formats/template/runNames.js';
import { TemporaryDirectory } from '../system/files/temporaryDirectory.js';
import type { Inputs, Job } from './job.js';

export type OwnPlace = { inputs: Inputs; remove(): void };

const inDirectory: readonly RunName[] = ['state_dir', 'communication_file'];

export function ownPlace({ loaded: { compiled }, inputs, runId }: Pick<Job, 'loaded' | 'inputs' | 'runId'>): OwnPlace {
  const isOpen = (name: RunName): boolean => compiled.recipe.inputs.has(name) && !Object.hasOwn(inputs, name);
  const asked = compiled.hasReferenceVerdict ? runNames.filter(isOpen) : [];
  if (asked.length === 0) return { inputs, remove: () => undefined };
  const scratch = asked.some((name) => inDirectory.includes(name)) ? new TemporaryDirectory('run') : undefined;
  const values = runValues({ run: runId, stateDir: scratch?.path ?? '' });
  const given = asked.map((name) => [name, { value: values[name], origin: 'api' as const }]);
  return { inputs: { ...inputs, ...Object.fromEntries(given) }, remove: () => scratch?.remove() };
}
