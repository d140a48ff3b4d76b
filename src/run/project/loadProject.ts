// A project as its config and its setup module describe it, for every command that asks before anything runs.
import { resolve } from 'node:path';
import { createCapabilities, SetupError } from '../../registry/capabilities.js';
import type { Setup } from '../../registry/setup.js';
import { ConfigError, loadConfig, loadSetup, type ProjectConfig } from './projectConfig.js';
import { validateSetup } from './validateSetup.js';

export type Project = {
  config: ProjectConfig;
  /** Where catalogs are read and commands run. */
  projectRoot: string;
  setup: Setup;
  /** The module it comes from, when there is one. */
  setupFile?: string;
};

/** `home` is where the config lies. A root or a setup module that is asked for beats what the config says. */
export type ProjectPlace = {
  home: string;
  root?: string | undefined;
  setup?: string | undefined;
  /** Nobody needs what the setup module gives, so that it is not even loaded. */
  withoutSetup?: boolean;
};

/** @throws ConfigError for a config or a setup module that cannot be used */
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

/** @throws ConfigError */
export async function loadValidSetup(file: string): Promise<Setup> {
  const setup = await loadSetup(file);
  const problem = validateSetup(setup);
  if (problem !== undefined) throw new ConfigError(`The setup module ${file} cannot be used: ${problem}.`);
  try {
    createCapabilities({ setup });
  } catch (thrown) {
    if (!(thrown instanceof SetupError)) throw thrown;
    throw new ConfigError(`The setup module ${file} cannot be used: ${thrown.message}`, { cause: thrown });
  }
  return setup;
}
