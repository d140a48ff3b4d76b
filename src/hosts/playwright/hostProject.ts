// A project as the Playwright host knows it: worked out when the config is loaded, kept in a file for the processes that run tests.
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { PageRecorderOptions } from '../../browser/pageRecorder.js';
import type { ProjectConfig } from '../../run/project/projectConfig.js';
import { isFile, readBytes, writeIfDifferent } from '../../system/files/files.js';
import { configNames, findProjectRoot } from '../../system/project.js';
import { loadConfigNow } from './loadConfigNow.js';

/** How the pages of recipes are looked on at, where the recipes' own policies are not to decide. */
export type Looks = Partial<Pick<PageRecorderOptions, 'hud' | 'record' | 'video'>>;

/** Values for every recipe of a Playwright project: for inputs, for what `manual` nodes ask, and for those who look on. */
export type RecipeValues = Looks & {
  inputs?: Readonly<Record<string, unknown>>;
  answers?: Readonly<Record<string, 'pass' | 'fail'>>;
};

export type ProjectOptions = Pick<RecipeValues, 'inputs' | 'answers'> & {
  /** The module with the project's own actions and fixtures. */
  setup?: string;
  /** The recipewright.config that is in force; else the one beside the nearest package.json. */
  config?: string;
};

export type HostProject = {
  /** Where recipes are named from, catalogs are read and commands run. */
  projectRoot: string;
  config: ProjectConfig;
  setupFile?: string;
};

/** `from` is the file that asks: paths in the options are relative to it. */
export function openProject(from: string, { setup, config: named, inputs, answers }: ProjectOptions): HostProject {
  const folder = dirname(from);
  const home = named === undefined ? findProjectRoot(from) : dirname(configFile(resolve(folder, named)));
  const config = loadConfigNow(home);
  const setupFile = setup === undefined ? config.setup : resolve(folder, setup);
  const values = { inputs: { ...config.inputs, ...inputs }, answers: { ...config.answers, ...answers } };
  const projectRoot = config.root ?? home;
  return { projectRoot, config: { ...config, ...values }, ...(setupFile === undefined ? {} : { setupFile }) };
}

function configFile(file: string): string {
  if (configNames.includes(basename(file)) && isFile(file)) return file;
  throw new Error(`The option "config" names ${file}, which is no file called ${configNames.slice(0, 2).join(' or ')}.`);
}

export function keepProject(file: string, project: HostProject): void {
  writeIfDifferent(file, `${JSON.stringify(project, null, 2)}\n`);
}

export function keptProject(file: string): HostProject {
  return JSON.parse(readBytes(file).toString()) as HostProject;
}

/** A recipe outside of the project belongs to the one it lies in. */
export function rootFor(document: string, { projectRoot }: HostProject): string {
  return relative(projectRoot, document).startsWith('..') ? findProjectRoot(document) : projectRoot;
}

/** Below node_modules, Playwright takes files as they are instead of transforming each one. */
export function cacheFolder(from: string, name: string): string {
  const home = findProjectRoot(from);
  const key = `${relative(home, from)}--${name}`.replace(/[^\w.-]/g, '_');
  return join(home, 'node_modules', '.cache', 'recipewright', key);
}
