// Translates the config of a project into the options for loading and running its recipes, the same for every host.

import type { LoadOptions } from '../../check/loadRecipe.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { type Capabilities, type CapabilityOptions, capabilityNames } from '../../registry/capabilities.js';
import { type InputSources, isInputProvided, wellKnownInputs } from '../inputs/resolveInputs.js';
import { defaultNodeTimeoutMs, defaultTeardownMs, type Job } from '../job.js';
import type { ProjectConfig } from './projectConfig.js';
import { openStateDir } from './stateDir.js';

export type RecipeLoading = {
  config: Pick<ProjectConfig, 'limits' | 'libraries' | 'aliases' | 'flowSpecs' | 'templates'>;
  capabilities: Capabilities;
  projectRoot: string;
  inputSources: InputSources;
};

/** The options for loading a recipe of this project. */
export function loadOptionsOf({ config, capabilities, projectRoot, inputSources }: RecipeLoading): LoadOptions {
  return {
    ...capabilityNames(capabilities),
    ...{ registry: capabilities.registry, projectRoot, limits: omitUndefined({ ...config.limits }) },
    libraries: new Map(Object.entries(config.libraries ?? {})),
    aliases: new Map(Object.entries(config.aliases ?? {})),
    vendors: vendorsOf(config),
    templates: config.templates,
    wellKnown: new Set([...wellKnownInputs].filter((name) => isInputProvided(name, inputSources))),
  };
}

/** The names of the vendors of beacons that the project defines. */
export function vendorsOf({ flowSpecs }: Pick<ProjectConfig, 'flowSpecs'>): string[] {
  return (flowSpecs?.vendors ?? []).map(({ vendor }) => vendor);
}

/** The settings of the config for runtime recipes and flow-specs. */
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
