// recipewright compare BEFORE AFTER [--markdown] [--html FILE] [--json]
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../evidence/exitCodes.js';
import { comparePackages, findPackages, NoPackageError, type PackageComparison } from '../review/compare/comparePackages.js';
import { comparePage, type FindPackagePair } from '../review/compare/comparePage.js';
import { formatComparison } from '../review/compare/formatComparison.js';
import { readPathKind, writeFileAtomically } from '../system/files/files.js';
import { openPackageDir } from './openPackageDir.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export type CompareOptions = { markdown?: unknown; html?: unknown; json?: unknown };

export function compare(dirs: readonly string[], options: CompareOptions): number {
  const { exitCode, document, text } = compareAnswer(dirs, options);
  if (options.json) printJson(document);
  else print(text);
  return exitCode;
}

/** Red when a claim got worse, or a run that passed does not any more. */
export function compareAnswer(dirs: readonly string[], { markdown, html, json }: CompareOptions) {
  const [before, after, ...more] = dirs;
  if (before === undefined || after === undefined || more.length > 0)
    throw new UsageError(`compare needs two directories, the one before and the one after, but it got ${dirs.length}.`);
  if (markdown && json) throw new UsageError('compare prints Markdown or JSON: leave out one of --markdown and --json.');
  try {
    const [old, now] = [before, after].map((name) => openPackageDir(name, missingMessage(name))) as [string, string];
    const comparison = comparePackages(old, now);
    if (html !== undefined) writePage(parseHtmlFile(html), { title: `${before} → ${after}`, old, now, comparison });
    return {
      exitCode: comparison.isWorse ? exitCodes.failed : exitCodes.pass,
      document: comparison,
      text: formatComparison(comparison, markdown ? 'markdown' : 'text'),
    };
  } catch (thrown) {
    if (!(thrown instanceof NoPackageError)) throw thrown;
    throw new UsageError(thrown.message, { cause: thrown });
  }
}

function missingMessage(name: string): string {
  return `There is no directory ${name}: name the one that a run wrote its package to, or a zip archive of it.`;
}

function parseHtmlFile(html: unknown): string {
  if (typeof html !== 'string' || html === '') throw new UsageError('--html needs one file.');
  const file = resolve(html);
  if (readPathKind(dirname(file)) !== 'directory')
    throw new UsageError(`There is no directory ${dirname(html)} to write ${html} into.`);
  if (readPathKind(file) === 'directory') throw new UsageError(`--html needs a file, but ${html} is a directory.`);
  return file;
}

type ComparePageRequest = { title: string; old: string; now: string; comparison: PackageComparison };

function writePage(file: string, { title, old, now, comparison }: ComparePageRequest): void {
  const [before, after] = [findPackages(old), findPackages(now)];
  const places = (name: string): ReturnType<FindPackagePair> => {
    const [was, is] = [before.get(name), after.get(name)];
    return was === undefined || is === undefined ? undefined : { before: was, after: is };
  };
  writeFileAtomically(file, comparePage({ title, comparison, places }));
}
