// recipewright doctor [--recipe F] [--setup M] [--project-root D] [--library name=path …] [--json]
import { resolve } from 'node:path';
import { escapeControls, oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failure.js';
import type { Check } from '../run/doctor/check.js';
import { type Examined, type ExamineOptions, examine } from '../run/doctor/examine.js';
import { kindOf } from '../system/files.js';
import { librariesOf, rootAsked, setupAsked } from './declared.js';
import { print, printJson, tell } from './output.js';
import { UsageError } from './usage.js';

export type DoctorOptions = Partial<Readonly<Record<'recipe' | 'setup' | 'projectRoot' | 'library' | 'json', unknown>>>;

export async function doctor(options: DoctorOptions): Promise<number> {
  const report = await examine({ ...asked(options), triesVideo: true });
  if (options.json) printJson(report);
  else print(inWords(report));
  return report.status === 'pass' ? exitCodes.pass : exitCodes.environment;
}

/** For a run that the environment kept from its end: what a doctor would say, in the same words. */
export async function tellFixes(options: DoctorOptions): Promise<void> {
  const { checks } = await examine(asked(options));
  // A run that lacks a secret has said so itself.
  const wrong = checks.filter(({ status, category }) => status === 'fail' && category !== 'secrets');
  if (wrong.length > 0) tell(`recipewright doctor finds:\n${wrong.map(lineOf).join('\n')}`);
}

function asked({ recipe, setup, projectRoot, library }: DoctorOptions): ExamineOptions {
  return {
    ...{ recipe: fileOf(recipe), setup: setupAsked(setup), projectRoot: rootAsked(projectRoot) },
    libraries: librariesOf(library),
  };
}

function fileOf(recipe: unknown): string | undefined {
  if (recipe === undefined) return undefined;
  if (typeof recipe !== 'string' || recipe === '') throw new UsageError('--recipe needs one file.');
  if (kindOf(recipe) !== 'file') throw new UsageError(`--recipe needs a file, but ${recipe} is none.`);
  return resolve(recipe);
}

const marks: Readonly<Record<Check['status'], string>> = { pass: '✓', fail: '✗', warn: '!', skip: '-' };

function inWords({ status, checks }: Examined): string {
  const count = (wanted: Check['status']): number => checks.filter((check) => check.status === wanted).length;
  const ready = status === 'pass' ? 'Recipes can run here' : 'Recipes cannot run here yet';
  const counts = `${count('pass')} passed, ${count('fail')} failed, ${count('warn')} to note, ${count('skip')} skipped`;
  return `${checks.map(lineOf).join('\n')}\n${ready}: ${counts}.`;
}

function lineOf({ id, status, message, fix }: Check): string {
  const line = `${marks[status]} ${oneLine(id)}: ${oneLine(message)}`;
  return fix === undefined ? line : `${line}\n  ${escapeControls(fix)}`;
}
