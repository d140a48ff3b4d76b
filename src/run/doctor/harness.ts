// recipewright itself, and what the project tells it: the config and the setup module.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { tool } from '../../evidence/runIdentity.js';
import { schemaTitles } from '../../registry/schemas.js';
import type { Setup } from '../../registry/setup.js';
import { isFile } from '../../system/files/files.js';
import { configNames, findInstalledPackage } from '../../system/project.js';
import { loadSound, type ProjectPlace } from '../loadProject.js';
import { ConfigError, loadConfig, type ProjectConfig } from '../projectConfig.js';
import { type Check, failed, passed, skipped, warned } from './check.js';

/** What could be loaded; an empty one stands for what could not. */
export type Harness = { checks: Check[]; config: ProjectConfig; setup: Setup };

export async function examineHarness({ home, setup: asked }: ProjectPlace): Promise<Harness> {
  const { check: configured, value: config = {} } = await attempt('harness.config', () => loadConfig(home));
  const file = asked === undefined ? config.setup : resolve(asked);
  const checks = [examineVersion(home), examineSchemas(), configured ?? describeConfig(home)];
  if (file === undefined)
    return { checks: [...checks, skipped('harness.setup', 'The project names no setup module.')], config, setup: {} };
  const { check, value: setup = {} } = await attempt('harness.setup', () => loadSound(file));
  return { checks: [...checks, check ?? passed('harness.setup', `${file} gives ${contentsOf(setup)}.`)], config, setup };
}

/** The value, or the check that says why there is none. */
async function attempt<T>(id: 'harness.config' | 'harness.setup', load: () => Promise<T>): Promise<{ value?: T; check?: Check }> {
  try {
    return { value: await load() };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { check: failed(id, thrown.message) };
  }
}

function describeConfig(home: string): Check {
  const name = configNames.find((one) => isFile(resolve(home, one)));
  return name === undefined
    ? passed('harness.config', `There is no config in ${home}, so that everything is as by default.`)
    : passed('harness.config', `${resolve(home, name)} can be used.`);
}

function contentsOf({ actions = [], preconditions = [], operators = [], stateRefs = [], ...setup }: Setup): string {
  const { agents = [], logic = [], routers = [] } = setup;
  const counts = {
    ...{ action: actions, precondition: preconditions, operator: operators, 'state ref': stateRefs },
    ...{ agent: agents, 'logic function': logic, router: routers },
  };
  const said = Object.entries(counts)
    .filter(([, { length }]) => length > 0)
    .map(([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`);
  return said.join(', ') || 'nothing';
}

function examineVersion(home: string): Check {
  const there = findInstalledPackage(home, tool.name)?.version;
  const own = `recipewright ${tool.version}`;
  if (there === undefined || there === tool.version || tool.version === 'source') return passed('harness.version', `${own}.`);
  return warned('harness.version', `This is ${own}, but the project has ${there}.`);
}

function examineSchemas(): Check {
  const { resolve: find } = createRequire(import.meta.url);
  const missing = [...schemaTitles.keys()].filter((name) => !isFound(() => find(`recipewright/schemas/${name}.schema.json`)));
  return missing.length === 0
    ? passed('harness.schemas', `All ${schemaTitles.size} schemas are there.`)
    : failed('harness.schemas', `The package lacks schemas: ${missing.join(', ')}.`);
}

function isFound(find: () => string): boolean {
  try {
    return isFile(find());
  } catch {
    // MODULE_NOT_FOUND: the package is not whole.
    return false;
  }
}
