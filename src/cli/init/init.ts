// recipewright init [--host playwright|vitest] [--project-root D] [--dry-run] [--json]

import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import picocolors from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import { exitCodes } from '../../evidence/failureTable.js';
import { systemClock } from '../../system/clock.js';
import { writeFileAtomically } from '../../system/files/atomicFile.js';
import { readBytesIfThere, readPathKind } from '../../system/files/files.js';
import { hasColors } from '../../system/hasColors.js';
import { buildChildEnv, runProcess } from '../../system/processes/runProcess.js';
import { print, printJson } from '../output.js';
import { UsageError } from '../usage.js';
import { lineDiff } from './lineDiff.js';
import { type Change, configExample, configFiles, type HostName, type Plan, planInit } from './planInit.js';

const pc = picocolors.createColors(hasColors(process.stdout));

export type InitOptions = Partial<Readonly<Record<'host' | 'projectRoot' | 'dryRun' | 'json', unknown>>>;

export async function init(options: InitOptions): Promise<number> {
  const root = resolve(typeof options.projectRoot === 'string' ? options.projectRoot : '.');
  if (readPathKind(join(root, 'package.json')) !== 'file')
    throw new UsageError(`${root} has no package.json. Go to the folder of your project, or pass it with --project-root.`);
  const read = (file: string): string | undefined => readBytesIfThere(join(root, file))?.toString();
  const plan = planInit({ host: detectHost(options.host, read), read });
  const isDry = options.dryRun === true;
  if (!isDry) for (const { file, after } of plan.changes) writeChange(join(root, file), after);
  const missing = isDry ? undefined : await findMissingRecipes(plan, root);
  if (missing !== undefined) plan.advice.push(missing);
  if (options.json) printJson({ ...plan, written: !isDry, hooks });
  else print(initToText(plan, isDry, missing === undefined));
  return missing === undefined ? exitCodes.pass : exitCodes.failed;
}

/** Checks that Vitest finds recipes when the config already imports this package, and so was not changed. Returns advice if it does not. */
async function findMissingRecipes({ host, isConfigured, setup }: Plan, root: string): Promise<string | undefined> {
  if (host !== 'vitest' || !isConfigured) return undefined;
  const listed = await listRecipes(root);
  if ('problem' in listed)
    return `recipewright could not check whether recipes are tests here, because Vitest cannot list its test files: ${listed.problem}`;
  if (listed.recipes.length > 0) return undefined;
  const config = configFiles.vitest.find((file) => readPathKind(join(root, file)) === 'file');
  return `${config} imports recipewright/vitest, but Vitest finds no recipe. Wrap the exported config in withRecipes:\n\n${configExample(setup)}`;
}

function writeChange(file: string, text: string): void {
  if (readPathKind(dirname(file)) === 'file')
    throw new UsageError(`${dirname(file)} is a file, but init needs a folder with this name. Rename the file first.`);
  writeFileAtomically(file, text);
}

function detectHost(hostOption: unknown, read: (file: string) => string | undefined): HostName {
  if (hostOption === 'playwright' || hostOption === 'vitest') return hostOption;
  if (hostOption !== undefined)
    throw new UsageError(`--host must be playwright or vitest, but it is ${JSON.stringify(hostOption)}.`);
  const manifest = JSON.parse(read('package.json') ?? '{}') as Record<string, Record<string, string> | undefined>;
  const has = (name: string): boolean => ['dependencies', 'devDependencies'].some((kind) => manifest[kind]?.[name] !== undefined);
  if (has('@playwright/test')) return 'playwright';
  if (has('vitest')) return 'vitest';
  throw new UsageError(
    'package.json has neither @playwright/test nor vitest. Install one of them first, or choose one with --host.',
  );
}

/** The hooks for the project.json of a runner (Runner Protocol, "Project hooks"). */
const hooks = {
  recipe_run: 'npx recipewright run --recipe {{recipe_path}} --artifacts-dir {{artifacts_dir}} --json',
  recipe_action_manifest: 'npx recipewright manifest --json',
  recipe_doctor: 'npx recipewright doctor --json',
};

const tryCommands: Readonly<Record<HostName, string>> = {
  playwright: 'npx playwright test example.recipe.json',
  vitest: 'npx vitest run example.recipe.json',
};

function initToText({ host, changes, advice }: Plan, isDry: boolean, areTests: boolean): string {
  const parts = [
    ...changes.map(changeToText),
    ...advice.map((text) => pc.yellow(escapeControls(text))),
    changes.length === 0 && areTests
      ? 'Nothing to change: recipes are already tests in this project.'
      : isDry
        ? 'Nothing was written (--dry-run).'
        : undefined,
    `Hooks for the project.json of a runner:\n${JSON.stringify({ hooks }, null, 2)}`,
    `Try it:\n  ${tryCommands[host]}`,
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function changeToText({ file, before, after }: Change): string {
  const lines = lineDiff(before ?? '', after).map((line) =>
    line.startsWith('+') ? pc.green(line) : line.startsWith('-') ? pc.red(line) : line,
  );
  return `${pc.bold(`${before === undefined ? 'new' : 'changed'} ${file}`)}\n${lines.join('\n')}`;
}

// Asks the project's own Vitest whether recipes are among its tests, because the source of a config does not show that.

/** `problem`: why Vitest could not list its test files. */
type RecipeListing = { recipes: string[] } | { problem: string };

const timeoutMs = 60_000;

async function listRecipes(root: string): Promise<RecipeListing> {
  const vitest = findVitest(root);
  if (vitest === undefined) return { problem: 'vitest is not installed' };
  const stop = new AbortController();
  const cancelTimer = systemClock.after(timeoutMs, () => stop.abort(new Error(`the list took longer than ${timeoutMs} ms`)));
  const { exitCode, spawnError, stdout, stderr } = await runProcess({
    command: [process.execPath, vitest, 'list', '--filesOnly'],
    cwd: root,
    env: { ...buildChildEnv({ passEnv: Object.keys(process.env) }), NO_COLOR: '1' },
    signal: stop.signal,
    tag: `init/${process.pid}`,
  });
  cancelTimer();
  if (exitCode !== 0) return { problem: spawnError ?? `${stdout.bytes}${stderr.bytes}`.trim() };
  // Only documents have these extensions, because all other test files are scripts.
  return {
    recipes: stdout.bytes
      .toString()
      .split('\n')
      .filter((file) => /\.(json|md)$/i.test(file)),
  };
}

function findVitest(root: string): string | undefined {
  try {
    return join(dirname(createRequire(join(root, 'package.json')).resolve('vitest/package.json')), 'vitest.mjs');
  } catch {
    // MODULE_NOT_FOUND
    return undefined;
  }
}
