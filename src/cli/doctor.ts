// recipewright doctor: checks whether recipes can run on this machine, and prints how to fix what is missing.
import { resolve } from 'node:path';
import { escapeControls, oneLine } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import type { Check } from '../run/doctor/doctorCheck.js';
import { type DoctorResult, type ExamineOptions, examineProject } from '../run/doctor/examineProject.js';
import { readPathKind } from '../system/files/files.js';
import { parseLibraries, parseProjectRoot, parseSetup } from './declarations.js';
import { print, printJson, printToStderr } from './output.js';
import { UsageError } from './usage.js';

export type DoctorOptions = Partial<Readonly<Record<'recipe' | 'setup' | 'projectRoot' | 'library' | 'json', unknown>>>;

export async function doctor(options: DoctorOptions): Promise<number> {
  const report = await examineProject({ ...parseDoctorOptions(options), triesVideo: true });
  if (options.json) printJson(report);
  else print(doctorToText(report));
  return report.status === 'pass' ? exitCodes.pass : exitCodes.environment;
}

/** Prints the failed checks and their fixes, after a run that ended with an environment failure. */
export async function printFixes(options: DoctorOptions): Promise<void> {
  const { checks } = await examineProject(parseDoctorOptions(options));
  // The run itself has reported missing secrets.
  const failedChecks = checks.filter(({ status, category }) => status === 'fail' && category !== 'secrets');
  if (failedChecks.length > 0) printToStderr(`recipewright doctor found problems:\n${failedChecks.map(formatCheck).join('\n')}`);
}

function parseDoctorOptions({ recipe, setup, projectRoot, library }: DoctorOptions): ExamineOptions {
  return {
    recipe: parseRecipeFile(recipe),
    setup: parseSetup(setup),
    projectRoot: parseProjectRoot(projectRoot),
    libraries: parseLibraries(library),
  };
}

function parseRecipeFile(recipe: unknown): string | undefined {
  if (recipe === undefined) return undefined;
  if (typeof recipe !== 'string' || recipe === '') throw new UsageError('--recipe needs one file.');
  if (readPathKind(recipe) !== 'file') throw new UsageError(`--recipe needs a file, but ${recipe} is not a file.`);
  return resolve(recipe);
}

const statusMarks: Readonly<Record<Check['status'], string>> = { pass: '✓', fail: '✗', warn: '!', skip: '-' };

function doctorToText({ status, checks }: DoctorResult): string {
  const count = (counted: Check['status']): number => checks.filter((check) => check.status === counted).length;
  const conclusion = status === 'pass' ? 'Recipes can run here' : 'Recipes cannot run here yet';
  const counts = `${count('pass')} passed, ${count('fail')} failed, ${count('warn')} warned, ${count('skip')} skipped`;
  return `${checks.map(formatCheck).join('\n')}\n${conclusion}: ${counts}.`;
}

function formatCheck({ id, status, message, fix }: Check): string {
  const line = `${statusMarks[status]} ${oneLine(id)}: ${oneLine(message)}`;
  return fix === undefined ? line : `${line}\n  ${escapeControls(fix)}`;
}
