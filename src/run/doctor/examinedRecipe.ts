// Loads the recipe that the doctor examines, as far as possible.
import { checkFile } from '../../check/checkFile.js';
import { type LoadedRecipe, loadRecipe } from '../../check/loadRecipe.js';
import type { Finding } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { CompiledRecipe } from '../../recipe/recipe.js';
import { type Capabilities, capabilityNames, createCapabilities } from '../../registry/capabilities.js';
import type { Setup } from '../../registry/setup.js';
import { wellKnownInputs } from '../inputs/resolveInputs.js';
import type { ProjectConfig } from '../project/projectConfig.js';
import { formatSettingsOf } from '../project/projectSettings.js';

export type ExaminedRecipe = {
  file: string;
  projectRoot: string;
  config: ProjectConfig;
  capabilities: Capabilities;
  errors: readonly Finding[];
  compiled?: CompiledRecipe;
  loaded?: LoadedRecipe;
};

export type ExaminedRecipeOptions = {
  file: string;
  projectRoot: string;
  config: ProjectConfig;
  setup: Setup;
  libraries: ReadonlyMap<string, string>;
};

export function loadExaminedRecipe({ file, projectRoot, config, setup, libraries }: ExaminedRecipeOptions): ExaminedRecipe {
  const capabilities = createCapabilities({ setup, ...formatSettingsOf(config) });
  const { registry } = capabilities;
  const options = {
    ...{
      ...capabilityNames(capabilities),
      projectRoot,
      libraries,
      wellKnown: wellKnownInputs,
      limits: omitUndefined({ ...config.limits }),
    },
    aliases: new Map(Object.entries(config.aliases ?? {})),
    templates: config.templates,
  };
  const { loaded, findings } = loadRecipe(file, { ...options, registry });
  // The doctor checks the secrets of a recipe with errors too, so that the user sees all problems at once.
  const compiled = loaded?.compiled ?? checkFile(file, { ...options, vocabulary: registry }).compiled;
  const errors = findings.filter(({ severity }) => severity === 'error');
  return { file, projectRoot, config, capabilities, errors, ...(compiled ? { compiled } : {}), ...(loaded ? { loaded } : {}) };
}
