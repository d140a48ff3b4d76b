// Turns the options of a run into a job, or into findings that say why there is none. Writes nothing.
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
import { collectNeededFixtures, findBrowserDriverNeed } from '../../run/recipeNeeds.js';
import type { Vault } from '../../secrets/vault.js';
import { type Clock, systemClock } from '../../system/clock.js';
import type { OutputListener } from '../../system/processes/runProcess.js';
import { findProjectRoot } from '../../system/project.js';
import { portInputName } from '../shared/attachedApp.js';
import { type Answers, createAskPerson } from '../shared/createAskPerson.js';
import { createRefusedRun, type RefusedRun, refuseInvalidSetup } from '../shared/refusedRun.js';
import type { Watch } from './plainHost.js';

export type RunOptions = {
  /** The directory for the package: a new or an empty one. */
  artifactsDir: string;
  /** The folder that catalogs are read from and commands run in. Default: the project that contains the file. */
  projectRoot?: string;
  /** Values for the recipe's inputs. They override config and environment. */
  inputs?: Readonly<Record<string, unknown>>;
  /** Values for inputs as strings, as a command line passes them. */
  inputTexts?: ReadonlyMap<string, string>;
  libraries?: Readonly<Record<string, string>>;
  /** The result of `defineSetup`, or the path of the module that exports it. */
  setup?: Setup | string;
  answers?: Answers;
  /** The browser to start, or the running app to attach to, for recipes that need a page. Overrides the config. */
  browser?: BrowserOptions;
  /** Whether questions without an answer are asked in the terminal. */
  terminal?: boolean;
  passEnv?: readonly string[];
  limits?: NonNullable<ProjectConfig['limits']>;
  nodeTimeoutMs?: number;
  /** Whether a template recipe gets the verdict of the reference of its format. */
  compat?: boolean;
  /** Whether SIGINT, SIGTERM and SIGHUP interrupt the recipe, so that its teardown runs and the package is finished. */
  signals?: boolean;
  /** Called with one line for each node that begins. */
  progress?: (line: string) => void;
  /** Called when nodes begin and end. */
  watch?: Watch;
  /** Called with the output of commands while they run, with secrets masked. */
  output?: OutputListener;
  /** @internal Another clock than the system's, for tests. */
  clock?: Clock;
  /** Interrupts the recipe when aborted, as a process signal does. */
  signal?: AbortSignal;
  /** The number of the attempt, from 0, when a test runner retries. */
  attempt?: number;
  /** The test runner that runs the recipe. */
  host?: { name: string; version: string };
  env?: Readonly<Record<string, string | undefined>>;
  /** Replaces the recipe of the file by a part of it, such as one example of a catalog. */
  part?: RunPart;
};

export type RunPart = {
  /** The name of the package. */
  id: string;
  load(read: DocumentRead, options: LoadOptions): LoadResult;
  /** Replaces the registry of actions. */
  guard?(registry: Registry): Registry;
  /** Values for inputs, with the precedence of those of the config. */
  inputs?: Readonly<Record<string, unknown>>;
  /** Called with the secrets of the run before anything runs. */
  useVault?(vault: Vault): void;
};

/** `browser`: undefined unless a reachable node needs one. */
export type Ready = Omit<Job, 'host' | 'journal'> & {
  file: string;
  config: ProjectConfig;
  /** Whether code of the project runs in this process. */
  hasSetup: boolean;
  findings: Finding[];
  text: string;
  browser?: BrowserOptions;
  /** The name of an action or a state ref that only Playwright can serve. */
  driver?: string | undefined;
};

/** The fixtures that this host provides to actions. */
const fixtures = ['page', 'context', 'browser'];

/** `recipe`: the path of a file, or a recipe as an object. */
export type RunRequest = RunOptions & { recipe: string | object };

export async function prepareRun(options: RunRequest): Promise<Ready | RefusedRun> {
  const { env = process.env, part } = options;
  const file = typeof options.recipe === 'string' ? resolve(options.recipe) : resolve(options.projectRoot ?? '.', 'recipe.json');
  const requestedRoot = options.projectRoot === undefined ? undefined : resolve(options.projectRoot);
  const home = requestedRoot ?? findProjectRoot(file);
  const project = await loadProject(options, home).catch(refuseInvalidSetup(file));
  if ('findings' in project) return project;
  const { config, capabilities, hasSetup } = project;
  const projectRoot = requestedRoot ?? config.root ?? home;
  const sources = inputSources(options, config, env);
  const load = loadRequest({ file, projectRoot, options, config, capabilities, inputSources: sources });
  const id = part?.id ?? recipeId(file, projectRoot);
  const { findings, text } = load;
  const loaded = load.loaded ?? load.rejected;
  if (!loaded || (hasErrors(findings) && !load.rejected)) return { findings, text, environment: false };
  const secrets = readSecrets(loaded, { env, projectRoot });
  const allFindings = [...findings, ...secrets.findings];
  if (load.rejected) return createRefusedRun(loaded, { id, capabilities, findings: allFindings, text });
  const { inputs, findings: inputFindings } = resolveInputs(loaded.compiled, sources);
  if (inputFindings.length > 0) return { findings: [...findings, ...inputFindings], text, environment: false };
  if (secrets.findings.length > 0) return createRefusedRun(loaded, { id, capabilities, findings: allFindings, text });
  part?.useVault?.(secrets.vault);
  const needs = collectNeededFixtures(loaded, capabilities);
  const browser = { ...config.browser, ...omitUndefined({ ...options.browser }) };
  return {
    file,
    id,
    loaded,
    inputs,
    secrets,
    projectRoot,
    config,
    hasSetup,
    findings,
    text,
    operators: capabilities.operators,
    stateRefs: capabilities.stateRefs,
    registry: part?.guard?.(capabilities.registry) ?? capabilities.registry,
    runId: newRunId(),
    attempt: options.attempt ?? 0,
    clock: options.clock ?? systemClock,
    ...settingsFor(options, config),
    ask: createAskPerson({ ...config.answers, ...options.answers }, options.terminal === true),
    driver: findBrowserDriverNeed(loaded, capabilities, needs),
    ...omitUndefined({ baseURL: browser.baseURL }),
    ...browserFor(needs, inputs, browser),
  };
}

type Project = { config: ProjectConfig; capabilities: Capabilities; hasSetup: boolean };

/** Options of the caller override those of the config. */
async function loadProject(options: RunRequest, home: string): Promise<Project | RefusedRun> {
  const config = await loadConfig(home);
  const setupSource = options.setup ?? config.setup;
  const setup = typeof setupSource === 'string' ? await loadValidSetup(resolve(setupSource)) : setupSource;
  const libraries = { ...config.libraries, ...options.libraries };
  const limits = { ...config.limits, ...options.limits };
  return {
    config: { ...config, libraries, limits },
    capabilities: createCapabilities({ fixtures, ...(setup ? { setup } : {}), ...formatSettingsOf(config) }),
    hasSetup: setup !== undefined,
  };
}

/** Uses the option `cdpPort` as the value of the input `cdp_port` too, unless the caller sets that input. */
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
  capabilities: Capabilities;
  inputSources: InputSources;
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
