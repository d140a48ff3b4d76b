// Starts a recipe in a process of its own that outlives us, and comes back when that process says that it runs.
import { randomUUID } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createResolver, type ResolveOptions } from '../../check/createResolver.js';
import type { Finding } from '../../document/finding.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { libraryBy, nameOf, template } from '../../formats/template/compile.js';
import { recordUsage } from '../../formats/template/files/recordUsage.js';
import { recipeContext } from '../../formats/template/recipeContext.js';
import { toTemplateRecipe } from '../../formats/template/templateRecipe.js';
import { systemClock } from '../../system/clock.js';
import { claimDirectory, readBytesIfThere, readDirectory, resolveInside } from '../../system/files/files.js';
import { appendLine } from '../../system/files/lineFile.js';
import { acquireLock } from '../../system/files/lockFile.js';
import { type DetachedProcess, startDetached } from '../../system/processes/detachedProcess.js';
import { prepareRun, type Ready } from '../plain/prepareRun.js';
import type { Refused } from '../shared/refused.js';
import { cancelRun } from './cancelRun.js';
import { givenTo } from './givenTo.js';
import { isTerminal, lockOf, names, type RunFile, readState, stateOf, stateVariable, tellEvent, writeState } from './runState.js';

export type StartOptions = Pick<RunFile, 'inputs' | 'setup' | 'libraries' | 'answers'> & {
  run?: string | undefined;
  stateDir?: string | undefined;
  projectRoot?: string | undefined;
};

export type Started =
  | { run: string; stateDir: string }
  | { refused: string }
  | { findings: Finding[]; text: string; environment: boolean };

/** What is wrong with the recipe or its inputs is told here, before there is a process that could tell nobody. */
export async function startRun(recipe: string, options: StartOptions): Promise<Started> {
  const run = options.run ?? nameOf(recipe);
  if (!isRunId(run)) return { refused: 'Run id may contain only letters, numbers, dot, underscore, and dash.' };
  const ready = await readyFor(recipe, run, options);
  if (!('loaded' in ready)) return ready;
  const stateDir = stateDirOf(run, ready, options);
  const giveBack = acquireLock(lockOf(stateDir));
  if (!giveBack) return { refused: `Run ${run} is being started by another process.` };
  try {
    const state = stateOf(stateDir, { isOurs: true });
    if (state === undefined && (readDirectory(stateDir) ?? []).length > 0) return { refused: foreign(stateDir) };
    if (!isTerminal(state)) return { refused: active(run) };
    if (state !== undefined) await cancelRun(stateDir);
    const started = await launch(fileOf(ready, { run, options }), stateDir);
    if ('stateDir' in started) count(ready);
    return started;
  } finally {
    giveBack();
  }
}

/** Only what the user owns is counted, and only when the config asks for it. */
function count({ file, config: { templates: { usage, userRoot } = {} } }: Ready): void {
  if (usage === undefined || userRoot === undefined || resolveInside(userRoot, relative(userRoot, file)) === undefined) return;
  recordUsage(file, { kind: 'direct', inFile: usage === 'in_file' });
}

export function isRunId(run: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(run) && !/^\.+$/.test(run);
}

function foreign(stateDir: string): string {
  return `${stateDir} is not empty and holds no run. Name another state directory, or empty it.`;
}

function active(run: string): string {
  return `Run state already has an active owned process: ${run}. Stop it before reusing the same run_id or state_dir.`;
}

function readyFor(
  recipe: string,
  run: string,
  { inputs, setup, libraries, answers, projectRoot }: StartOptions,
): Promise<Ready | Refused> {
  // Nothing is written there: it is only looked at what would run.
  const place = { artifactsDir: '', part: givenTo({ run, stateDir: '', recipe, projectRoot }) };
  const given = omitUndefined({ setup, libraries, answers, projectRoot });
  return prepareRun({ recipe, ...place, ...given, inputTexts: new Map(Object.entries(inputs)) });
}

export function runsFolder(projectRoot: string): string {
  return join(projectRoot, '.recipewright', 'runs');
}

function stateDirOf(run: string, { projectRoot, loaded }: Ready, { stateDir }: StartOptions): string {
  if (stateDir !== undefined) return resolve(stateDir);
  const { state_dir: written } = Object(loaded.document.value) as { state_dir?: unknown };
  return typeof written === 'string' && written !== '' ? resolve(projectRoot, written) : join(runsFolder(projectRoot), run);
}

function fileOf({ file, projectRoot, loaded, config }: Ready, { run, options }: { run: string; options: StartOptions }): RunFile {
  const { inputs, setup, libraries, answers } = options;
  return {
    ...{ run, recipe: file, project_root: projectRoot, tag: `${run}-${randomUUID()}/runner`, started_at: systemClock.wall() },
    ...{ inputs, ...omitUndefined({ setup: setup && resolve(setup), libraries, answers, parent: process.env[stateVariable] }) },
    ...templateFields(loaded.document, { projectRoot, templates: config.templates }),
  };
}

function templateFields(document: Ready['loaded']['document'], from: ResolveOptions) {
  if (!template.detect(document)) return { async: false };
  const { file } = document;
  const raw = document.value as Readonly<Record<string, unknown>>;
  const { async = false, mailbox, retire_when } = toTemplateRecipe(nameOf(file), raw, { template: raw.template });
  const records = recipeContext({ file, name: nameOf(file), raw }, libraryBy(createResolver(from)));
  return {
    async,
    ...omitUndefined({ mailbox, retire_when }),
    ...(records.length > 0 ? { recipe_context_records: records } : {}),
  };
}

async function launch(asked: RunFile, stateDir: string): Promise<Started> {
  claimDirectory(stateDir);
  writeState(stateDir, 'run', asked);
  tellEvent(stateDir, 'run.start', { run: asked.run, recipe: asked.recipe });
  const runner = startDetached({
    command: [process.execPath, fileURLToPath(new URL('./detached-runner.js', import.meta.url)), stateDir],
    ...{ cwd: process.cwd(), tag: asked.tag, parentTag: parentTagOf(asked), env: { ...process.env, [stateVariable]: stateDir } },
    ...{ stdout: join(stateDir, names.stdout), stderr: join(stateDir, names.stderr) },
  });
  const ended = await begun(runner, stateDir);
  if (ended !== undefined) {
    const said = readBytesIfThere(join(stateDir, names.stderr))?.toString().trim() ?? '';
    return { refused: `The runner of ${asked.run} did not begin: ${ended}.${said === '' ? '' : `\n${said}`}` };
  }
  if (asked.parent !== undefined) appendLine(join(asked.parent, names.children), JSON.stringify({ run: asked.run, stateDir }));
  return { run: asked.run, stateDir };
}

function parentTagOf({ parent }: RunFile): string | undefined {
  return parent === undefined ? undefined : readState<RunFile>(parent, 'run')?.tag;
}

/** Undefined as soon as it says that it runs. */
async function begun(runner: DetachedProcess, stateDir: string): Promise<string | undefined> {
  for (;;) {
    if (readState(stateDir, 'runner')) return undefined;
    const ended = runner.endReason();
    if (ended !== undefined) return readState(stateDir, 'runner') ? undefined : ended;
    await new Promise<void>((resume) => systemClock.after(10, resume));
  }
}
