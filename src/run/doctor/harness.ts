// Checks recipewright itself, and the config and the setup module of the project.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { toolInfo } from '../../evidence/runIdentity.js';
import { schemaTitles } from '../../registry/schemas.js';
import type { Setup } from '../../registry/setup.js';
import { isFile } from '../../system/files/files.js';
import { configNames, findInstalledPackage } from '../../system/project.js';
import { loadValidSetup, type ProjectPlace } from '../project/loadProject.js';
import { ConfigError, loadConfig, type ProjectConfig } from '../project/projectConfig.js';
import { type Check, fail, pass, skip, warn } from './doctorCheck.js';

/** `config` and `setup` are empty objects when they cannot be loaded. */
export type HarnessExamination = { checks: Check[]; config: ProjectConfig; setup: Setup };

export async function examineHarness({ home, setup: setupPath }: ProjectPlace): Promise<HarnessExamination> {
  const { check: configFailure, value: config = {} } = await tryLoad('harness.config', () => loadConfig(home));
  const file = setupPath === undefined ? config.setup : resolve(setupPath);
  const checks = [examineVersion(home), examineSchemas(), configFailure ?? describeConfig(home)];
  if (file === undefined)
    return { checks: [...checks, skip('harness.setup', 'The project names no setup module.')], config, setup: {} };
  const { check: setupFailure, value: setup = {} } = await tryLoad('harness.setup', () => loadValidSetup(file));
  const setupCheck = setupFailure ?? pass('harness.setup', `${file} defines ${contentsOf(setup)}.`);
  return { checks: [...checks, setupCheck], config, setup };
}

/** Returns the value, or a failed check with the reason. */
async function tryLoad<T>(id: 'harness.config' | 'harness.setup', load: () => Promise<T>): Promise<{ value?: T; check?: Check }> {
  try {
    return { value: await load() };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { check: fail(id, thrown.message) };
  }
}

function describeConfig(home: string): Check {
  const name = configNames.find((configName) => isFile(resolve(home, configName)));
  return name === undefined
    ? pass('harness.config', `${home} has no config, so every option has its default.`)
    : pass('harness.config', `The config ${resolve(home, name)} is valid.`);
}

function contentsOf({ actions = [], preconditions = [], operators = [], stateRefs = [], ...setup }: Setup): string {
  const { agents = [], logic = [], routers = [] } = setup;
  const counts = {
    ...{ action: actions, precondition: preconditions, operator: operators, 'state ref': stateRefs },
    ...{ agent: agents, 'logic function': logic, router: routers },
  };
  const parts = Object.entries(counts)
    .filter(([, { length }]) => length > 0)
    .map(([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`);
  return parts.join(', ') || 'nothing';
}

function examineVersion(home: string): Check {
  const installed = findInstalledPackage(home, toolInfo.name)?.version;
  const thisVersion = `recipewright ${toolInfo.version}`;
  if (installed === undefined || installed === toolInfo.version || toolInfo.version === 'source')
    return pass('harness.version', `${thisVersion}.`);
  return warn('harness.version', `This is ${thisVersion}, but the project has version ${installed}.`);
}

function examineSchemas(): Check {
  const { resolve: resolveModule } = createRequire(import.meta.url);
  const exists = (name: string): boolean => isModuleFile(() => resolveModule(`recipewright/schemas/${name}.schema.json`));
  const missing = [...schemaTitles.keys()].filter((name) => !exists(name));
  return missing.length === 0
    ? pass('harness.schemas', `The package has all ${schemaTitles.size} schemas.`)
    : fail('harness.schemas', `The package lacks schemas: ${missing.join(', ')}.`);
}

function isModuleFile(resolveFile: () => string): boolean {
  try {
    return isFile(resolveFile());
  } catch {
    // MODULE_NOT_FOUND: the package is incomplete.
    return false;
  }
}
