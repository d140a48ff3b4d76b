// recipewright init [--host playwright|vitest] [--project-root D] [--dry-run] [--json]
import { dirname, join, resolve } from 'node:path';
import pc from 'picocolors';
import { escapeControls } from '../../document/printFinding.js';
import { exitCodes } from '../../evidence/failure.js';
import { kindOf, readBytesIfThere } from '../../system/files.js';
import { writeWhole } from '../../system/wholeFile.js';
import { print, printJson } from '../output.js';
import { UsageError } from '../usage.js';
import { lineDiff } from './lineDiff.js';
import { type Change, type HostName, type Plan, planInit } from './planInit.js';

export type InitOptions = Partial<Readonly<Record<'host' | 'projectRoot' | 'dryRun' | 'json', unknown>>>;

export function init(options: InitOptions): number {
  const root = resolve(typeof options.projectRoot === 'string' ? options.projectRoot : '.');
  if (kindOf(join(root, 'package.json')) !== 'file')
    throw new UsageError(`${root} has no package.json. Go to the folder of your project, or name it with --project-root.`);
  const read = (file: string): string | undefined => readBytesIfThere(join(root, file))?.toString();
  const plan = planInit({ host: hostOf(options.host, read), read });
  const isDry = options.dryRun === true;
  if (!isDry) for (const { file, after } of plan.changes) write(join(root, file), after);
  if (options.json) printJson({ ...plan, written: !isDry, hooks });
  else print(inWords(plan, isDry));
  return exitCodes.pass;
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

function inWords({ host, changes, advice }: Plan, isDry: boolean): string {
  const parts = [
    ...changes.map(shown),
    ...advice.map((text) => pc.yellow(escapeControls(text))),
    changes.length === 0
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
