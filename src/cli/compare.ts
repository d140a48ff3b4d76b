// recipewright compare: prints what changed between two evidence packages or suites.
import { exitCodes } from '../evidence/failureTable.js';
import { comparePackages, findPackages, NoPackageError, type PackageComparison } from '../review/compare/comparePackages.js';
import { comparePage, type FindPackagePair } from '../review/compare/comparePage.js';
import { formatComparison } from '../review/compare/formatComparison.js';
import { writeFileAtomically } from '../system/files/files.js';
import { parseOutputFile } from './arguments.js';
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

/** The exit code is 1 when a claim got worse or a run no longer passes. */
export function compareAnswer(dirs: readonly string[], { markdown, html, json }: CompareOptions) {
  const [before, after, ...more] = dirs;
  if (before === undefined || after === undefined || more.length > 0)
    throw new UsageError(`compare needs two directories, before and after the change, but it got ${dirs.length}.`);
  if (markdown && json) throw new UsageError('compare prints either Markdown or JSON. Remove --markdown or --json.');
  try {
    const [beforeDir, afterDir] = [openPackageDir(before), openPackageDir(after)];
    const comparison = comparePackages(beforeDir, afterDir);
    const file = parseOutputFile('--html', html);
    if (file !== undefined) writePage(file, { title: `${before} → ${after}`, beforeDir, afterDir, comparison });
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

type ComparePageRequest = { title: string; beforeDir: string; afterDir: string; comparison: PackageComparison };

function writePage(file: string, { title, beforeDir, afterDir, comparison }: ComparePageRequest): void {
  const packagesBefore = findPackages(beforeDir);
  const packagesAfter = findPackages(afterDir);
  const findPair: FindPackagePair = (name) => {
    const [before, after] = [packagesBefore.get(name), packagesAfter.get(name)];
    return before === undefined || after === undefined ? undefined : { before, after };
  };
  writeFileAtomically(file, comparePage({ title, comparison, findPair }));
}
