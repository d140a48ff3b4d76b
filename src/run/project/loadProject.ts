// Loads the config and the setup module of a project, for every command that needs them before a run.
import { resolve } from 'node:path';
import { createCapabilities, SetupError } from '../../registry/capabilities.js';
import type { Setup } from '../../registry/setup.js';
import { ConfigError, loadConfig, loadSetup, type ProjectConfig } from './projectConfig.js';
import { validateSetup } from './validateSetup.js';

export type Project = {
  config: ProjectConfig;
  /** The directory in which catalogs are read and commands run. */
  projectRoot: string;
  setup: Setup;
  /** The file of the setup module, if the project has one. */
  setupFile?: string;
};

/** `home` is the directory of the config. `root` and `setup` take precedence over the config. */
export type ProjectPlace = {
  home: string;
  root?: string | undefined;
  setup?: string | undefined;
  /** Skips the setup module, for commands that do not need it. */
  withoutSetup?: boolean;
};

/** @throws ConfigError for an invalid config or setup module */
export async function loadProject({ home, root, setup, withoutSetup = false }: ProjectPlace): Promise<Project> {
  const config = await loadConfig(home);
  const setupPath = setup === undefined ? config.setup : resolve(setup);
  const setupFile = withoutSetup ? undefined : setupPath;
  const loaded = setupFile === undefined ? {} : await loadValidSetup(setupFile);
  return {
    ...{ config, projectRoot: root ?? config.root ?? home, setup: loaded },
    ...(setupFile === undefined ? {} : { setupFile }),
  };
}

/** @throws ConfigError for an invalid setup module */
export async function loadValidSetup(file: string): Promise<Setup> {
  const setup = await loadSetup(file);
  const problem = validateSetup(setup);
  if (problem !== undefined) throw new ConfigError(`The setup module ${file} is invalid: ${problem}.`);
  try {
    createCapabilities({ setup });
  } catch (thrown) {
    if (!(thrown instanceof SetupError)) throw thrown;
    throw new ConfigError(`The setup module ${file} is invalid: ${thrown.message}`, { cause: thrown });
  }
  return setup;
}
