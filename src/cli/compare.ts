// recipewright compare BEFORE AFTER [--markdown] [--json]
import { resolve } from 'node:path';
import { exitCodes } from '../evidence/failure.js';
import { comparePackages, NoPackage } from '../review/compare/comparePackages.js';
import { compareText } from '../review/compare/compareText.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export type CompareOptions = { markdown?: unknown; json?: unknown };

export function compare(dirs: readonly string[], options: CompareOptions): number {
  const { exitCode, document, text } = compareAnswer(dirs, options);
  if (options.json) printJson(document);
  else print(text);
  return exitCode;
}

/** Red when a claim got worse, or a run that passed does not any more. */
export function compareAnswer(dirs: readonly string[], { markdown, json }: CompareOptions) {
  const [before, after, ...more] = dirs;
  if (before === undefined || after === undefined || more.length > 0)
    throw new UsageError(`compare needs two directories, the one before and the one after, but it got ${dirs.length}.`);
  if (markdown && json) throw new UsageError('compare prints Markdown or JSON: leave out one of --markdown and --json.');
  try {
    const compared = comparePackages(resolve(before), resolve(after));
    return {
      exitCode: compared.isWorse ? exitCodes.failed : exitCodes.pass,
      document: compared,
      text: compareText(compared, markdown ? 'markdown' : 'text'),
    };
  } catch (thrown) {
    if (!(thrown instanceof NoPackage)) throw thrown;
    throw new UsageError(thrown.message, { cause: thrown });
  }
}
