// From what a caller asks for to something that can be run, or the findings that say why not. Nothing is written here.
import { resolve } from 'node:path';
import type { BrowserOptions } from '../../browser/launch/launchBrowser.js';
import { type LoadOptions, type LoadResult, loadDocument } from '../../check/loadRecipe.js';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { type Finding, hasErrors } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { type DocumentRead, readDocument } from '../../document/readDocument.js';
import { newRunId, recipeId } from '../../evidence/runIdentity.js';
import { type Capabilities, createCapabilities } from '../../registry/capabilities.js';
import type { Registry } from '../../registry/registry.js';
import type { Setup } from '../../registry/setup.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import { type InputSources, resolveInputs } from '../../run/inputs/resolveInputs.js';
import type { Inputs, Job } from '../../run/job.js';
import { loadValidSetup } from '../../run/project/loadProject.js';
import { loadConfig, type ProjectConfig } from '../../run/project/projectConfig.js';
import { formatSettingsOf, type JobSettings, jobSettingsOf, loadOptionsOf } from '../../run/project/projectSettings.js';
import { findBrowserDriverNeed, fixturesNeeded } from '../../run/recipeNeeds.js';
import type { Vault } from '../../secrets/vault.js';
import { type Clock, systemClock } from '../../system/clock.js';
import type { OutputListener } from '../../system/processes/runProcess.js';
import { findProjectRoot } from '../../system/project.js';
import { portInputName } from '../shared/attachedApp.js';
import { type Answers, createAsk } from '../shared/createAsk.js';
import { createRefusedRun, type RefusedRun, refuseInvalidSetup } from '../shared/refusedRun.js';
import type { Watch } from './plainHost.js';

export type RunOptions = {
  /** A new or empty directory for the package. */
  artifactsDir: string;
  /** Where catalogs are read and commands run; else the project the file lies in. */
  projectRoot?: string;
  /** Values for the recipe's inputs, which beat config and environment. */
  inputs?: Readonly<Record<string, unknown>>;
  /** The same as text, as a command line gives them. */
  inputTexts?: ReadonlyMap<string, string>;
  libraries?: Readonly<Record<string, string>>;
  /** What `defineSetup` gave, or the module that exports it. */
  setup?: Setup | string;
  answers?: Answers;
  /** For recipes that need a page: which browser, or the app that runs already; beats what the config says. */
  browser?: BrowserOptions;
  /** Ask in the terminal what has no answer. */
  terminal?: boolean;
  passEnv?: readonly string[];
  limits?: NonNullable<ProjectConfig['limits']>;
  nodeTimeoutMs?: number;
  /** Judge a template recipe as the reference of its format does. */
  compat?: boolean;
  /** Listen to SIGINT, SIGTERM and SIGHUP, and finish the package when one comes. */
  signals?: boolean;
  /** Nodes as they begin, one line each. */
  progress?: (line: string) => void;
  /** Nodes as they begin and end, for somebody who shows them. */
  watch?: Watch;
  /** Hears of what commands write as they write it, without the secrets of the run. */
  output?: OutputListener;
  /** @internal Another clock than the system's, for tests. */
  clock?: Clock;
  /** Ends the run, as a signal would, when it is aborted. */
  signal?: AbortSignal;
  /** Which try of whoever asks for the run this is, from 0. */
  attempt?: number;
  /** The name of the test runner that asks for it. */
  host?: { name: string; version: string };
  env?: Readonly<Record<string, string | undefined>>;
  /** What of the file is to run, when that is not simply the recipe it holds. */
  part?: RunPart;
};

export type RunPart = {
  /** What its package is called. */
  id: string;
  load(read: DocumentRead, options: LoadOptions): LoadResult;
  /** The actions it runs with, made of those there are. */
  guard?(registry: Registry): Registry;
  /** Values for inputs that it may have, like those of the config. */
  inputs?: Readonly<Record<string, unknown>>;
  /** Hears before anything runs what must not be told. */
  keepsSecret?(vault: Vault): void;
};

/** `browser`: only when a node that can run needs one. */
export type Ready = Omit<Job, 'host' | 'journal'> & {
  file: string;
  config: ProjectConfig;
  /** Code of the project runs in this process. */
  hasSetup: boolean;
  findings: Finding[];
  text: string;
  browser?: BrowserOptions;
  /** What of it only Playwright can serve, by its name. */
  driver?: string | undefined;
};

/** What this host gives to actions that ask for it. */
const fixtures = ['page', 'context', 'browser'];

/** What is to run: a file, or a recipe itself. */
export type RunRequest = RunOptions & { recipe: string | object };

export async function prepareRun(options: RunRequest): Promise<Ready | RefusedRun> {
  const { env = process.env, part } = options;
  const file = typeof options.recipe === 'string' ? resolve(options.recipe) : resolve(options.projectRoot ?? '.', 'recipe.json');
  const requestedRoot = options.projectRoot === undefined ? undefined : resolve(options.projectRoot);
  const home = requestedRoot ?? findProjectRoot(file);
  const project = await loadProject(options, home).catch(refuseInvalidSetup(file));
  if ('findings' in project) return project;
  const { config, equipment, hasSetup } = project;
  const projectRoot = requestedRoot ?? config.root ?? home;
  const given = inputSources(options, config, env);
  const load = loadRequest({ file, projectRoot, options, config, equipment, given });
  const id = part?.id ?? recipeId(file, projectRoot);
  const { findings, text } = load;
  const loaded = load.loaded ?? load.rejected;
  if (!loaded || (hasErrors(findings) && !load.rejected)) return { findings, text, environment: false };
  const secrets = readSecrets(loaded, { env, projectRoot });
  const unsupplied = [...findings, ...secrets.findings];
  if (load.rejected) return createRefusedRun(loaded, { id, equipment, findings: unsupplied, text });
  const { inputs, findings: refused } = resolveInputs(loaded.compiled, given);
  if (refused.length > 0) return { findings: [...findings, ...refused], text, environment: false };
  if (secrets.findings.length > 0) return createRefusedRun(loaded, { id, equipment, findings: unsupplied, text });
  part?.keepsSecret?.(secrets.vault);
  const needs = fixturesNeeded(loaded, equipment);
  return {
    ...{ file, id, loaded, inputs, secrets, projectRoot, config, hasSetup, findings, text },
    ...{ operators: equipment.operators, stateRefs: equipment.stateRefs },
    registry: part?.guard?.(equipment.registry) ?? equipment.registry,
    ...{ runId: newRunId(), attempt: options.attempt ?? 0, clock: options.clock ?? systemClock },
    ...settingsFor(options, config),
    ask: createAsk({ ...config.answers, ...options.answers }, options.terminal === true),
    driver: findBrowserDriverNeed(loaded, equipment, needs),
    ...browserFor(needs, inputs, { ...config.browser, ...omitUndefined({ ...options.browser }) }),
  };
}

type Project = { config: ProjectConfig; equipment: Capabilities; hasSetup: boolean };

/** What the caller says beats what the config says. */
async function loadProject(options: RunRequest, home: string): Promise<Project | RefusedRun> {
  const config = await loadConfig(home);
  const setupSource = options.setup ?? config.setup;
  const setup = typeof setupSource === 'string' ? await loadValidSetup(resolve(setupSource)) : setupSource;
  const libraries = { ...config.libraries, ...options.libraries };
  const limits = { ...config.limits, ...options.limits };
  return {
    config: { ...config, libraries, limits },
    equipment: createCapabilities({ fixtures, ...(setup ? { setup } : {}), ...formatSettingsOf(config) }),
    hasSetup: setup !== undefined,
  };
}

/** A port that is asked for is also what `{{cdp_port}}` says, unless that is given by itself. */
function inputSources(options: RunRequest, config: ProjectConfig, env: NonNullable<RunOptions['env']>): InputSources {
  const { inputs, inputTexts = new Map(), browser } = options;
  const hasPortInput = inputTexts.has(portInputName) || (inputs && Object.hasOwn(inputs, portInputName));
  const port = browser?.cdpPort === undefined || hasPortInput ? [] : [[portInputName, String(browser.cdpPort)] as const];
  const defaults = { ...config.inputs, ...options.part?.inputs };
  return { env, cli: new Map([...inputTexts, ...port]), config: defaults, ...(inputs ? { api: inputs } : {}) };
}

function browserFor(needs: readonly string[], inputs: Inputs, options: BrowserOptions): { browser?: BrowserOptions } {
  if (!needs.some((need) => fixtures.includes(need))) return {};
  const portValue = inputs[portInputName]?.value;
  const port = portValue === undefined || portValue === '' ? Number.NaN : Number(portValue);
  return { browser: Number.isInteger(port) ? { ...options, cdpPort: options.cdpPort ?? port } : options };
}

type Settings = JobSettings & Pick<Job, 'output'>;

type Loading = {
  file: string;
  projectRoot: string;
  options: RunRequest;
  config: ProjectConfig;
  equipment: Capabilities;
  given: InputSources;
};

function loadRequest({ file, options, ...loading }: Loading): LoadResult {
  const loadOptions = loadOptionsOf(loading);
  const { load = loadDocument } = options.part ?? {};
  if (typeof options.recipe === 'string') return load(readDocumentFile(file, loadOptions.limits), loadOptions);
  const text = JSON.stringify(options.recipe, null, 2) as string | undefined;
  return loadDocument(readDocument(file, Buffer.from(text ?? ''), loadOptions.limits), loadOptions);
}

function settingsFor({ passEnv = [], nodeTimeoutMs, compat, output }: RunRequest, config: ProjectConfig): Settings {
  const settings = jobSettingsOf(config);
  return { ...settings, passEnv: [...settings.passEnv, ...passEnv], ...omitUndefined({ nodeTimeoutMs, compat, output }) };
}
