// recipewright init [--host playwright|vitest] [--project-root D] [--dry-run] [--json]
import { dirname, join, resolve } from 'node:path';
import picocolors from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import { exitCodes } from '../../evidence/failure.js';
import { kindOf, readBytesIfThere } from '../../system/files.js';
import { hasColors } from '../../system/hasColors.js';
import { writeWhole } from '../../system/wholeFile.js';
import { print, printJson } from '../output.js';
import { UsageError } from '../usage.js';
import { lineDiff } from './lineDiff.js';
import { listRecipes } from './listRecipes.js';
import { byHand, type Change, configFiles, type HostName, type Plan, planInit } from './planInit.js';

const pc = picocolors.createColors(hasColors(process.stdout));

export type InitOptions = Partial<Readonly<Record<'host' | 'projectRoot' | 'dryRun' | 'json', unknown>>>;

export async function init(options: InitOptions): Promise<number> {
  const root = resolve(typeof options.projectRoot === 'string' ? options.projectRoot : '.');
  if (kindOf(join(root, 'package.json')) !== 'file')
    throw new UsageError(`${root} has no package.json. Go to the folder of your project, or name it with --project-root.`);
  const read = (file: string): string | undefined => readBytesIfThere(join(root, file))?.toString();
  const plan = planInit({ host: hostOf(options.host, read), read });
  const isDry = options.dryRun === true;
  if (!isDry) for (const { file, after } of plan.changes) write(join(root, file), after);
  const missing = isDry ? undefined : await missingRecipes(plan, root);
  if (missing !== undefined) plan.advice.push(missing);
  if (options.json) printJson({ ...plan, written: !isDry, hooks });
  else print(inWords(plan, isDry, missing === undefined));
  return missing === undefined ? exitCodes.pass : exitCodes.failed;
}

/** A config that names this package already was left alone: whether recipes run is for Vitest to say. */
async function missingRecipes({ host, isConfigured, setup }: Plan, root: string): Promise<string | undefined> {
  if (host !== 'vitest' || !isConfigured) return undefined;
  const listed = await listRecipes(root);
  if ('problem' in listed)
    return `Whether recipes are tests here is not known, because Vitest cannot list them: ${listed.problem}`;
  if (listed.recipes.length > 0) return undefined;
  const config = configFiles.vitest.find((file) => kindOf(join(root, file)) === 'file');
  return `${config} imports recipewright/vitest, but Vitest finds no recipe. Put withRecipes around what it exports:\n\n${byHand(setup)}`;
}

function write(file: string, text: string): void {
  if (kindOf(dirname(file)) === 'file') throw new UsageError(`${dirname(file)} is a file, and a folder of that name is needed.`);
  writeWhole(file, text);
}

function hostOf(asked: unknown, read: (file: string) => string | undefined): HostName {
  if (asked === 'playwright' || asked === 'vitest') return asked;
  if (asked !== undefined) throw new UsageError(`--host is playwright or vitest, but it is ${JSON.stringify(asked)}.`);
  const manifest = JSON.parse(read('package.json') ?? '{}') as Record<string, Record<string, string> | undefined>;
  const has = (name: string): boolean => ['dependencies', 'devDependencies'].some((kind) => manifest[kind]?.[name] !== undefined);
  if (has('@playwright/test')) return 'playwright';
  if (has('vitest')) return 'vitest';
  throw new UsageError(
    'package.json has neither @playwright/test nor vitest. Install one of them first, or say which with --host.',
  );
}

/** For the project.json of a runner (Runner Protocol, "Project hooks"). */
const hooks = {
  recipe_run: 'npx recipewright run --recipe {{recipe_path}} --artifacts-dir {{artifacts_dir}} --json',
  recipe_action_manifest: 'npx recipewright manifest --json',
  recipe_doctor: 'npx recipewright doctor --json',
};

const commands: Readonly<Record<HostName, string>> = {
  playwright: 'npx playwright test example.recipe.json',
  vitest: 'npx vitest run example.recipe.json',
};

function inWords({ host, changes, advice }: Plan, isDry: boolean, areTests: boolean): string {
  const parts = [
    ...changes.map(shown),
    ...advice.map((text) => pc.yellow(escapeControls(text))),
    changes.length === 0 && areTests
      ? 'Nothing to change: recipes are tests here already.'
      : isDry
        ? 'Nothing was written (--dry-run).'
        : undefined,
    `Hooks for a project.json, where a runner asks for them:\n${JSON.stringify({ hooks }, null, 2)}`,
    `Try it:\n  ${commands[host]}`,
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

function shown({ file, before, after }: Change): string {
  const lines = lineDiff(before ?? '', after).map((line) =>
    line.startsWith('+') ? pc.green(line) : line.startsWith('-') ? pc.red(line) : line,
  );
  return `${pc.bold(`${before === undefined ? 'new' : 'changed'} ${file}`)}\n${lines.join('\n')}`;
}
