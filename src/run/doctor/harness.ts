// recipewright itself, and what the project tells it: the config and the setup module.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { toolInfo } from '../../evidence/runIdentity.js';
import { schemaTitles } from '../../registry/schemas.js';
import type { Setup } from '../../registry/setup.js';
import { isFile } from '../../system/files/files.js';
import { configNames, findInstalledPackage } from '../../system/project.js';
import { loadValidSetup, type ProjectPlace } from '../project/loadProject.js';
import { ConfigError, loadConfig, type ProjectConfig } from '../project/projectConfig.js';
import { type Check, fail, pass, skip, warn } from './check.js';

/** What could be loaded; an empty one stands for what could not. */
export type Harness = { checks: Check[]; config: ProjectConfig; setup: Setup };

export async function examineHarness({ home, setup: setupPath }: ProjectPlace): Promise<Harness> {
  const { check: configured, value: config = {} } = await tryLoad('harness.config', () => loadConfig(home));
  const file = setupPath === undefined ? config.setup : resolve(setupPath);
  const checks = [examineVersion(home), examineSchemas(), configured ?? describeConfig(home)];
  if (file === undefined)
    return { checks: [...checks, skip('harness.setup', 'The project names no setup module.')], config, setup: {} };
  const { check, value: setup = {} } = await tryLoad('harness.setup', () => loadValidSetup(file));
  return { checks: [...checks, check ?? pass('harness.setup', `${file} gives ${contentsOf(setup)}.`)], config, setup };
}

/** The value, or the check that says why there is none. */
async function tryLoad<T>(id: 'harness.config' | 'harness.setup', load: () => Promise<T>): Promise<{ value?: T; check?: Check }> {
  try {
    return { value: await load() };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { check: fail(id, thrown.message) };
  }
}

function describeConfig(home: string): Check {
  const name = configNames.find((one) => isFile(resolve(home, one)));
  return name === undefined
    ? pass('harness.config', `There is no config in ${home}, so that everything is as by default.`)
    : pass('harness.config', `${resolve(home, name)} can be used.`);
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
  const own = `recipewright ${toolInfo.version}`;
  if (installed === undefined || installed === toolInfo.version || toolInfo.version === 'source')
    return pass('harness.version', `${own}.`);
  return warn('harness.version', `This is ${own}, but the project has ${installed}.`);
}

function examineSchemas(): Check {
  const { resolve: find } = createRequire(import.meta.url);
  const missing = [...schemaTitles.keys()].filter((name) => !isFound(() => find(`recipewright/schemas/${name}.schema.json`)));
  return missing.length === 0
    ? pass('harness.schemas', `All ${schemaTitles.size} schemas are there.`)
    : fail('harness.schemas', `The package lacks schemas: ${missing.join(', ')}.`);
}

function isFound(find: () => string): boolean {
  try {
    return isFile(find());
  } catch {
    // MODULE_NOT_FOUND: the package is not whole.
    return false;
  }
}
