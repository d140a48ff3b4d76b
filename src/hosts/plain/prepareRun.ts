// From what a caller asks for to something that can be run, or the findings that say why not. Nothing is written here.
import { resolve } from 'node:path';
import { equip, namesIn, SetupError } from '../../actions/equipment.js';
import type { Setup } from '../../actions/setup.js';
import { type Load, loadDocument, loadRecipe } from '../../check/loadRecipe.js';
import { type Finding, hasErrors } from '../../document/finding.js';
import { present } from '../../document/present.js';
import { readDocument } from '../../document/readDocument.js';
import { type GivenInputs, isGiven, resolveInputs, wellKnownInputs } from '../../run/inputs.js';
import type { Job } from '../../run/job.js';
import { defaultNodeTimeoutMs, defaultTeardownMs } from '../../run/job.js';
import { loadSound } from '../../run/loadProject.js';
import { ConfigError, loadConfig, type ProjectConfig } from '../../run/projectConfig.js';
import { newRunId, recipeId } from '../../run/recipeId.js';
import { readSecrets } from '../../run/secrets.js';
import { systemClock } from '../../system/clock.js';
import { projectRootOf } from '../../system/projectRoot.js';
import { type Answers, askBy } from './ask.js';

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
  /** Ask in the terminal what has no answer. */
  terminal?: boolean;
  passEnv?: readonly string[];
  limits?: NonNullable<ProjectConfig['limits']>;
  nodeTimeoutMs?: number;
  /** Listen to SIGINT, SIGTERM and SIGHUP, and finish the package when one comes. */
  signals?: boolean;
  /** Nodes as they begin, one line each. */
  progress?: (line: string) => void;
  env?: Readonly<Record<string, string | undefined>>;
};

/** `environment`: what is wrong is not the recipe but the place it is to run in. */
export type Refused = { findings: Finding[]; text: string; environment: boolean };

export type Ready = Omit<Job, 'host' | 'journal'> & { config: ProjectConfig; findings: Finding[]; text: string };

/** What is to run: a file, or a recipe itself. */
export type RunRequest = RunOptions & { recipe: string | object };

export async function prepareRun(options: RunRequest): Promise<Ready | Refused> {
  const { env = process.env } = options;
  const file = typeof options.recipe === 'string' ? resolve(options.recipe) : resolve(options.projectRoot ?? '.', 'recipe.json');
  const asked = options.projectRoot === undefined ? undefined : resolve(options.projectRoot);
  const home = asked ?? projectRootOf(file);
  let config: ProjectConfig;
  let equipment: ReturnType<typeof equip>;
  try {
    config = await loadConfig(home);
    const from = options.setup ?? config.setup;
    const setup = typeof from === 'string' ? await loadSound(resolve(from)) : from;
    equipment = equip({ fixtures: [], ...(setup ? { setup } : {}) });
  } catch (thrown) {
    if (!(thrown instanceof ConfigError || thrown instanceof SetupError)) throw thrown;
    return { findings: [atFile(file, 'run.invalid_config', thrown.message)], text: '', environment: false };
  }
  const projectRoot = asked ?? config.root ?? home;
  const given: GivenInputs = {
    ...{ env, cli: options.inputTexts ?? new Map(), config: config.inputs ?? {} },
    ...(options.inputs ? { api: options.inputs } : {}),
  };
  const load = loadWith({ file, projectRoot, options, config, equipment, given });
  if (!load.loaded || hasErrors(load.findings)) return { ...load, environment: false };
  const { loaded, findings, text } = load;
  const { inputs, findings: refused } = resolveInputs(loaded.compiled, given);
  if (refused.length > 0) return { findings: [...findings, ...refused], text, environment: false };
  const secrets = readSecrets(loaded.compiled, { env, projectRoot });
  if (secrets.findings.length > 0) {
    const missing = secrets.findings.some(({ code }) => code === 'inputs.missing_secret');
    return { findings: [...findings, ...secrets.findings], text, environment: missing };
  }
  return {
    ...{ id: recipeId(file, projectRoot), loaded, inputs, secrets, projectRoot, config, findings, text },
    ...{ registry: equipment.registry, operators: equipment.operators, stateRefs: equipment.stateRefs },
    ...{ runId: newRunId(), attempt: 0, clock: systemClock, passEnv: [...(config.passEnv ?? []), ...(options.passEnv ?? [])] },
    nodeTimeoutMs: options.nodeTimeoutMs ?? config.nodeTimeoutMs ?? defaultNodeTimeoutMs,
    allowBlocked: config.allowBlocked === true,
    teardownMs: config.teardownMs ?? defaultTeardownMs,
    ask: askBy({ ...config.answers, ...options.answers }, options.terminal === true),
  };
}

type Loading = {
  file: string;
  projectRoot: string;
  options: RunRequest;
  config: ProjectConfig;
  equipment: ReturnType<typeof equip>;
  given: GivenInputs;
};

function loadWith({ file, projectRoot, options, config, equipment, given }: Loading): Load {
  const limits = present({ ...config.limits, ...options.limits });
  const libraries = new Map(Object.entries({ ...config.libraries, ...options.libraries }));
  const aliases = new Map(Object.entries(config.aliases ?? {}));
  const wellKnown = new Set([...wellKnownInputs].filter((name) => isGiven(name, given)));
  const known = { ...namesIn(equipment), registry: equipment.registry, projectRoot, limits, libraries, aliases, wellKnown };
  if (typeof options.recipe === 'string') return loadRecipe(file, known);
  const text = JSON.stringify(options.recipe, null, 2) as string | undefined;
  return loadDocument(readDocument(file, Buffer.from(text ?? ''), limits), known);
}

export function atFile(file: string, code: string, message: string, hint?: string): Finding {
  const place = { file, line: 1, column: 1 };
  return { code, severity: 'error', path: '', place, message, ...(hint === undefined ? {} : { hint }) };
}
