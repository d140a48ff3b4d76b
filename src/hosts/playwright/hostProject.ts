// The project of a Playwright config: resolved when the config is loaded, and stored in a file for the processes that run tests.
import { basename, dirname, join, relative, resolve } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { PageRecorderOptions } from '../../browser/pageRecorder.js';
import { ConfigError, type ProjectConfig } from '../../run/project/projectConfig.js';
import { isFile, readBytes, writeIfDifferent } from '../../system/files/files.js';
import { configNames, findProjectRoot } from '../../system/project.js';
import type { ConfigAnswer, ConfigRequest } from './configThread.js';

/** Recording options for all recipes. They override the options of each recipe. */
export type RecordingOverrides = Partial<Pick<PageRecorderOptions, 'hud' | 'record' | 'video'>>;

/** Values for every recipe of a Playwright project: inputs, answers to `manual` nodes, and how pages are recorded. */
export type RecipeValues = RecordingOverrides & {
  inputs?: Readonly<Record<string, unknown>>;
  answers?: Readonly<Record<string, 'pass' | 'fail'>>;
};

export type ProjectOptions = Pick<RecipeValues, 'inputs' | 'answers'> & {
  /** The module with the project's own actions and fixtures. */
  setup?: string;
  /** The path of the recipewright.config; by default the one beside the nearest package.json. */
  config?: string;
};

export type HostProject = {
  /** The folder that recipe names are relative to, that catalogs are read from, and that commands run in. */
  projectRoot: string;
  config: ProjectConfig;
  setupFile?: string;
};

/** Resolves paths in the options relative to `from`, the file that contains the options. */
export function openHostProject(from: string, { setup, config: configPath, inputs, answers }: ProjectOptions): HostProject {
  const folder = dirname(from);
  const home = configPath === undefined ? findProjectRoot(from) : dirname(requireConfigFile(resolve(folder, configPath)));
  const config = loadConfigSync(home);
  const setupFile = setup === undefined ? config.setup : resolve(folder, setup);
  const values = { inputs: { ...config.inputs, ...inputs }, answers: { ...config.answers, ...answers } };
  const projectRoot = config.root ?? home;
  return { projectRoot, config: { ...config, ...values }, ...(setupFile === undefined ? {} : { setupFile }) };
}

function requireConfigFile(file: string): string {
  if (configNames.includes(basename(file)) && isFile(file)) return file;
  throw new Error(`The option "config" is ${file}. It must be the path of a file named ${configNames.slice(0, 2).join(' or ')}.`);
}

export function writeProjectFile(file: string, project: HostProject): void {
  writeIfDifferent(file, `${JSON.stringify(project, null, 2)}\n`);
}

export function readProjectFile(file: string): HostProject {
  return JSON.parse(readBytes(file).toString()) as HostProject;
}

/** Returns the root of the project, or for a document outside the project, the root of the document's own project. */
export function findRootFor(document: string, { projectRoot }: HostProject): string {
  return relative(projectRoot, document).startsWith('..') ? findProjectRoot(document) : projectRoot;
}

/** Returns a folder below node_modules, where Playwright does not transform files. */
export function findCacheFolder(from: string, name: string): string {
  const home = findProjectRoot(from);
  const key = `${relative(home, from)}--${name}`.replace(/[^\w.-]/g, '_');
  return join(home, 'node_modules', '.cache', 'recipewright', key);
}

/** The documents that are tests unless options or a config say otherwise. */
export const defaultRecipePatterns: readonly string[] = [
  '**/*.recipe.json',
  '**/*.flows.json',
  '**/*.template.json',
  '**/*.template.md',
  '**/*.runtime.json',
  '**/*.flowspec.json',
];

const configTimeoutMs = 30_000;

/** Loads the config in a worker thread and blocks until the thread answers: Playwright reads its own config, and declares tests, synchronously. */
function loadConfigSync(home: string): ProjectConfig {
  if (!configNames.some((name) => isFile(resolve(home, name)))) return {};
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ConfigRequest = { home, port: port2, done };
  const thread = new Worker(new URL('./playwright-config.js', import.meta.url), {
    workerData,
    transferList: [port2],
    execArgv: [],
  });
  try {
    Atomics.wait(done, 0, 0, configTimeoutMs);
    const answer = receiveMessageOnPort(port1)?.message as ConfigAnswer | undefined;
    if (answer && 'config' in answer) return answer.config;
    throw new ConfigError(answer?.problem ?? `The config in ${home} was not loaded within ${configTimeoutMs / 1_000} seconds.`);
  } finally {
    port1.close();
    void thread.terminate();
  }
}
