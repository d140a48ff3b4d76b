// What a project's config means for loading and running its recipes, the same for every host.

import type { LoadOptions } from '../../check/loadRecipe.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { type Capabilities, type CapabilityOptions, capabilityNames } from '../../registry/capabilities.js';
import { type InputSources, isInputProvided, wellKnownInputs } from '../inputs/resolveInputs.js';
import { defaultNodeTimeoutMs, defaultTeardownMs, type Job } from '../job.js';
import type { ProjectConfig } from './projectConfig.js';
import { openStateDir } from './stateDir.js';

export type RecipeLoading = {
  config: Pick<ProjectConfig, 'limits' | 'libraries' | 'aliases' | 'flowSpecs' | 'templates'>;
  equipment: Capabilities;
  projectRoot: string;
  given: InputSources;
};

/** What a recipe of this project may use, and where that is found. */
export function loadOptionsOf({ config, equipment, projectRoot, given }: RecipeLoading): LoadOptions {
  return {
    ...capabilityNames(equipment),
    ...{ registry: equipment.registry, projectRoot, limits: omitUndefined({ ...config.limits }) },
    libraries: new Map(Object.entries(config.libraries ?? {})),
    aliases: new Map(Object.entries(config.aliases ?? {})),
    vendors: vendorsOf(config),
    templates: config.templates,
    wellKnown: new Set([...wellKnownInputs].filter((name) => isInputProvided(name, given))),
  };
}

/** The names of the project's own vendors of beacons. */
export function vendorsOf({ flowSpecs }: Pick<ProjectConfig, 'flowSpecs'>): string[] {
  return (flowSpecs?.vendors ?? []).map(({ vendor }) => vendor);
}

/** What the config allows to documents of other formats. */
export function formatSettingsOf({ python, flowSpecs }: ProjectConfig): Pick<CapabilityOptions, 'runtime' | 'flowSpecs'> {
  return {
    runtime: { openStateDir, ...omitUndefined({ python }) },
    ...(flowSpecs ? { flowSpecs: omitUndefined(flowSpecs) } : {}),
  };
}

export type JobSettings = Pick<
  Job,
  'passEnv' | 'allowHosts' | 'nodeTimeoutMs' | 'teardownMs' | 'allowBlocked' | 'compat' | 'runner'
>;

export function jobSettingsOf(config: ProjectConfig): JobSettings {
  return {
    passEnv: config.passEnv ?? [],
    allowHosts: config.http?.allowHosts ?? [],
    nodeTimeoutMs: config.nodeTimeoutMs ?? defaultNodeTimeoutMs,
    teardownMs: config.teardownMs ?? defaultTeardownMs,
    allowBlocked: config.allowBlocked === true,
    compat: config.templates?.compat === true,
    ...(config.runner ? { runner: config.runner } : {}),
  };
}
