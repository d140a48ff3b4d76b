// Starts a recipe in a detached process, and returns when that process has written its runner.json.
import { randomUUID } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createResolver, type ResolveOptions } from '../../check/createResolver.js';
import { loadDocument } from '../../check/loadRecipe.js';
import type { Finding } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { recipeId } from '../../evidence/runIdentity.js';
import { createDocumentLibrary, template, toRecipeName } from '../../formats/template/compile.js';
import { recordUsage } from '../../formats/template/files/recordUsage.js';
import { toTemplateRecipe } from '../../formats/template/model.js';
import { recipeContext } from '../../formats/template/recipeContext.js';
import { buildRunVariables } from '../../formats/template/runVariables.js';
import { systemClock } from '../../system/clock.js';
import { claimDirectory, readBytesIfThere, readDirectory, resolveInside } from '../../system/files/files.js';
import { appendLine } from '../../system/files/lineFile.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { type DetachedProcess, startDetached } from '../../system/processes/detachedProcess.js';
import { findProjectRoot } from '../../system/project.js';
import { prepareRun, type Ready, type RunPart } from '../plain/prepareRun.js';
import type { RefusedRun } from '../shared/refusedRun.js';
import { cancelRun } from './cancelRun.js';
import {
  appendEvent,
  isTerminal,
  lockPath,
  type RunFile,
  readRunState,
  readState,
  stateFiles,
  stateVariable,
  writeState,
} from './runState.js';

export type StartOptions = Pick<RunFile, 'inputs' | 'setup' | 'libraries' | 'answers'> & {
  run?: string | undefined;
  stateDir?: string | undefined;
  projectRoot?: string | undefined;
};

export type StartResult =
  | { run: string; stateDir: string }
  | { refused: string }
  | { findings: Finding[]; text: string; environment: boolean };

/** Checks the recipe and its inputs before the process starts, because a detached process has no terminal to print errors to. */
export async function startRun(recipe: string, options: StartOptions): Promise<StartResult> {
  const run = options.run ?? toRecipeName(recipe);
  if (!isRunId(run)) return { refused: 'Run id may contain only letters, numbers, dot, underscore, and dash.' };
  const ready = await prepareStart(recipe, run, options);
  if (!('loaded' in ready)) return ready;
  const stateDir = resolveStateDir(run, ready, options);
  const releaseLock = acquireLock(lockPath(stateDir));
  if (!releaseLock)
    return { refused: `Another process is starting the run ${run}. Wait until it has started, or choose another run id.` };
  try {
    const state = readRunState(stateDir, { holdsLock: true });
    if (state === undefined && (readDirectory(stateDir) ?? []).length > 0) return { refused: foreignDirMessage(stateDir) };
    if (!isTerminal(state)) return { refused: activeRunMessage(run) };
    if (state !== undefined) await cancelRun(stateDir);
    const started = await launchRunner(createRunFile(ready, { run, options }), stateDir);
    if ('stateDir' in started) recordDirectUse(ready);
    return started;
  } finally {
    releaseLock();
  }
}

/** Counts the use of recipes below `userRoot`, if the config asks for it. */
function recordDirectUse({ file, config: { templates: { usage, userRoot } = {} } }: Ready): void {
  if (usage === undefined || userRoot === undefined || resolveInside(userRoot, relative(userRoot, file)) === undefined) return;
  recordUsage(file, { kind: 'direct', inFile: usage === 'in_file' });
}

export function isRunId(run: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(run) && !/^\.+$/.test(run);
}

function foreignDirMessage(stateDir: string): string {
  return `${stateDir} is not empty and holds no run. Choose another state directory, or empty this one.`;
}

function activeRunMessage(run: string): string {
  return `Run state already has an active owned process: ${run}. Stop it before reusing the same run_id or state_dir.`;
}

function prepareStart(
  recipe: string,
  run: string,
  { inputs, setup, libraries, answers, projectRoot }: StartOptions,
): Promise<Ready | RefusedRun> {
  // Empty paths, because preparing a run writes nothing.
  const target = { artifactsDir: '', part: runPartFor({ run, stateDir: '', recipe, projectRoot }) };
  const settings = omitUndefined({ setup, libraries, answers, projectRoot });
  return prepareRun({ recipe, ...target, ...settings, inputTexts: new Map(Object.entries(inputs)) });
}

export function runsFolder(projectRoot: string): string {
  return join(projectRoot, '.recipewright', 'runs');
}

function resolveStateDir(run: string, { projectRoot, loaded }: Ready, { stateDir }: StartOptions): string {
  if (stateDir !== undefined) return resolve(stateDir);
  const { state_dir: declaredDir } = Object(loaded.document.value) as { state_dir?: unknown };
  return typeof declaredDir === 'string' && declaredDir !== ''
    ? resolve(projectRoot, declaredDir)
    : join(runsFolder(projectRoot), run);
}

function createRunFile(
  { file, projectRoot, loaded, config }: Ready,
  { run, options }: { run: string; options: StartOptions },
): RunFile {
  const { inputs, setup, libraries, answers } = options;
  return {
    run,
    recipe: file,
    project_root: projectRoot,
    tag: `${run}-${randomUUID()}/runner`,
    started_at: systemClock.wall(),
    inputs,
    ...omitUndefined({ setup: setup && resolve(setup), libraries, answers, parent: process.env[stateVariable] }),
    ...templateFields(loaded.document, { projectRoot, templates: config.templates }),
  };
}

function templateFields(document: Ready['loaded']['document'], from: ResolveOptions) {
  if (!template.detect(document)) return { async: false };
  const { file } = document;
  const raw = document.value as Readonly<Record<string, unknown>>;
  const { async = false, mailbox, retire_when } = toTemplateRecipe(toRecipeName(file), raw, { template: raw.template });
  const records = recipeContext({ file, name: toRecipeName(file), raw }, createDocumentLibrary(createResolver(from)));
  return {
    async,
    ...omitUndefined({ mailbox, retire_when }),
    ...(records.length > 0 ? { recipe_context_records: records } : {}),
  };
}

async function launchRunner(runFile: RunFile, stateDir: string): Promise<StartResult> {
  claimDirectory(stateDir);
  writeState(stateDir, 'run', runFile);
  appendEvent(stateDir, 'run.start', { run: runFile.run, recipe: runFile.recipe });
  const runner = startDetached({
    command: [process.execPath, fileURLToPath(new URL('./detached-runner.js', import.meta.url)), stateDir],
    cwd: process.cwd(),
    tag: runFile.tag,
    parentTag: readParentTag(runFile),
    env: { ...process.env, [stateVariable]: stateDir },
    stdout: join(stateDir, stateFiles.stdout),
    stderr: join(stateDir, stateFiles.stderr),
  });
  const ended = await awaitRunner(runner, stateDir);
  if (ended !== undefined) {
    const stderrText = readBytesIfThere(join(stateDir, stateFiles.stderr))?.toString().trim() ?? '';
    return { refused: `The runner of ${runFile.run} did not start: ${ended}.${stderrText === '' ? '' : `\n${stderrText}`}` };
  }
  if (runFile.parent !== undefined)
    appendLine(join(runFile.parent, stateFiles.children), JSON.stringify({ run: runFile.run, stateDir }));
  return { run: runFile.run, stateDir };
}

function readParentTag({ parent }: RunFile): string | undefined {
  return parent === undefined ? undefined : readState<RunFile>(parent, 'run')?.tag;
}

/** Returns undefined once the runner has written its state, or the reason why its process ended before. */
async function awaitRunner(runner: DetachedProcess, stateDir: string): Promise<string | undefined> {
  for (;;) {
    if (readState(stateDir, 'runner')) return undefined;
    const ended = runner.endReason();
    if (ended !== undefined) return readState(stateDir, 'runner') ? undefined : ended;
    await new Promise<void>((resume) => systemClock.after(10, resume));
  }
}

export type RunIdentity = { run: string; stateDir: string; recipe: string; projectRoot?: string | undefined };

/** Passes the run id, the state directory and the outbox to the recipe as inputs. */
export function runPartFor({ run, stateDir, recipe, projectRoot = findProjectRoot(recipe) }: RunIdentity): RunPart {
  return { id: recipeId(recipe, projectRoot), load: loadDocument, inputs: buildRunVariables({ run, stateDir }) };
}
