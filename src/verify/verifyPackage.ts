// Verifies that the files of a package are as the run wrote them, and returns the verdict that they prove. Needs only the directory.

import { join, resolve } from 'node:path';
import type { Vocabulary } from '../actions/vocabulary.js';
import { checkFile } from '../check/checkFile.js';
import { type Finding, hasErrors } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { digestOf } from '../evidence/digest.js';
import type { RunLine } from '../evidence/models/journalLine.js';
import { brokenChainFinding, noDirectoryFinding } from '../evidence/readPackage.js';
import { fileFinding } from '../evidence/readPackageDocuments.js';
import { recipeId } from '../evidence/runIdentity.js';
import type { Proof } from '../evidence/verdict.js';
import { type Commit, mergeTreeChanges } from '../evidence/workTreeState.js';
import type { Status } from '../recipe/recipe.js';
import { knownActions } from '../registry/registry.js';
import { fileSize, readPathKind } from '../system/files/files.js';
import { findProjectRoot } from '../system/project.js';
import { compareFiles } from './compareFiles.js';
import { readTreeChanges } from './readPackageParts.js';
import { checkReplay, rebuildPackage } from './rebuildPackage.js';
import { type JournalScan, scanJournal } from './scanJournal.js';

export type VerifyOptions = {
  /** The recipe file. The package must be of this recipe. */
  recipe?: string;
  /** The project of that recipe. */
  projectRoot?: string;
  libraries?: ReadonlyMap<string, string>;
  /** The commit. The package must be of this commit. */
  gitRef?: string;
  /** The actions of the project. Needed when some of them run other nodes; an unknown action counts as one that does not. */
  registry?: Vocabulary;
};

export type Verification = {
  /** `incomplete`: the run was cut short, and the files that it wrote are intact. */
  status: 'verified' | 'invalid' | 'incomplete';
  /** The verdict that the evidence proves. Unknown when the package is invalid. */
  verdict: Status;
  reason: string;
  proof: Proof[];
  findings: Finding[];
  /** The first line of the journal, which identifies the run, and the changes of the work tree during the run. */
  run?: (RunLine & Commit) | undefined;
};

/** A larger trace is not parsed. `rebuildPackage` still compares every byte of it. */
const maxTraceBytes = 64_000_000;

export function verifyPackage(dir: string, options: VerifyOptions = {}): Verification {
  if (readPathKind(dir) !== 'directory') return invalidVerification([noDirectoryFinding(dir)]);
  const scan = scanJournal(join(dir, 'journal.jsonl'));
  const verification = verifyScanned(dir, scan, options);
  return scan.run ? { ...verification, run: { ...scan.run, ...readCommit(dir, scan) } } : verification;
}

function verifyScanned(dir: string, scan: JournalScan, options: VerifyOptions): Verification {
  const { broken } = scan;
  if (isCutShort(dir, scan)) return cutShortVerification(dir, scan, options);
  const withTrace = (fileSize(join(dir, 'trace.json')) ?? 0) <= maxTraceBytes;
  const findings = [...checkPackage(dir, { withTrace }), ...compareFiles(dir)];
  if (!scan.exists) findings.push(noJournalFinding(scan.file));
  else if (broken) findings.push(brokenChainFinding(scan.file, broken.line, broken.problem));
  findings.push(...checkExpectations(dir, scan, options));
  // After another error, a comparison of the rebuilt files would only report more effects of the same cause.
  if (hasErrors(findings)) return invalidVerification(findings);
  const { summary, findings: differences } = rebuildPackage(dir, scan);
  findings.push(...differences, ...checkReplay(dir, scan, options.registry));
  if (hasErrors(findings)) return invalidVerification(findings);
  const { status, reason, proof } = summary;
  return { status: 'verified', verdict: status, reason, proof, findings };
}

function invalidVerification(findings: Finding[]): Verification {
  const first = findings.find(({ severity }) => severity === 'error');
  return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${first?.message}`, proof: [], findings };
}

// A run that was cut short has no summary and no manifest, because it writes them last. Without the last line of the journal, the trace
// is missing, too.
function isCutShort(dir: string, { exists, closing }: JournalScan): boolean {
  const lastFiles = ['artifact-manifest.json', 'summary.json', ...(closing ? [] : ['trace.json'])];
  return exists && lastFiles.every((name) => readPathKind(join(dir, name)) === undefined);
}

function cutShortVerification(dir: string, scan: JournalScan, options: VerifyOptions): Verification {
  const { file, broken, breaksInLastLine, closing, verdict } = scan;
  const findings = checkExpectations(dir, scan, options);
  if (broken && !breaksInLastLine) findings.unshift(brokenChainFinding(file, broken.line, broken.problem));
  if (hasErrors(findings)) return invalidVerification(findings);
  // The run ended, but its package is incomplete, so it proves nothing.
  if (closing) {
    const reason = 'interrupted while the package was written';
    return { status: 'incomplete', verdict: 'unknown', reason, proof: [], findings };
  }
  return { status: 'incomplete', verdict: 'unknown', reason: verdict.reason, proof: verdict.proof, findings };
}

function noJournalFinding(file: string): Finding {
  const message = 'The package has no journal, so it cannot be verified.';
  const hint = 'Packages of other runners have no journal. Check them with "recipewright validate --artifact-dir".';
  return fileFinding(file, 'package.no_journal', { message, hint });
}

/** Returns the commit of a package and the changes of the work tree, from the beginning and the end of its run. */
function readCommit(dir: string, { run, closing }: JournalScan): Commit {
  const changed = mergeTreeChanges(closing, { treeChanges: readTreeChanges(dir) });
  const { git_ref, git_dirty, git_changes, tree_digest } = run ?? {};
  const commit = omitUndefined({ git_ref, git_dirty, git_changes, tree_digest });
  return changed.length > 0 ? { ...commit, git_dirty: true, git_changes_in_run: changed } : commit;
}

/** Reports a package that is not of the recipe or the commit in the options. */
function checkExpectations(dir: string, scan: JournalScan, options: VerifyOptions): Finding[] {
  const { run, file } = scan;
  if (options.recipe === undefined && options.gitRef === undefined) return [];
  if (!run) {
    const message = 'The journal has no first line, which names the recipe and the commit.';
    return [fileFinding(file, 'package.no_opening', { message, hint: 'Run the recipe again, and verify its new package.' })];
  }
  return [...checkRecipe(dir, run.recipe, options), ...checkCommit(file, readCommit(dir, scan), options.gitRef)];
}

type RecipeIdentity = { id: string; digest: string };

function checkRecipe(dir: string, executed: RecipeIdentity, options: VerifyOptions): Finding[] {
  if (options.recipe === undefined) return [];
  const file = resolve(options.recipe);
  const projectRoot = options.projectRoot ?? findProjectRoot(file);
  const { libraries = new Map<string, string>(), registry = knownActions } = options;
  const { compiled, findings } = checkFile(file, { vocabulary: registry, projectRoot, libraries });
  if (!compiled) return findings.filter(({ severity }) => severity === 'error');
  const refuse = (message: string, hint: string): Finding[] => {
    return [fileFinding(join(dir, 'recipe.json'), 'package.other_recipe', { message, hint })];
  };
  const id = recipeId(file, projectRoot);
  if (digestOf(compiled.recipe.json) !== executed.digest) {
    const message = `The recipe of the package, ${JSON.stringify(executed.id)}, differs from the current recipe ${JSON.stringify(id)}.`;
    return refuse(message, 'Run the current recipe, or pass the recipe that ran.');
  }
  if (executed.id === id || options.projectRoot === undefined) return [];
  const message = `The package was made by the recipe ${JSON.stringify(executed.id)}. ${JSON.stringify(id)} has the same content, but is another recipe.`;
  return refuse(message, 'Pass the recipe that ran, or run the given recipe to get a package of its own.');
}

function checkCommit(file: string, run: Commit, expected: string | undefined): Finding[] {
  if (expected === undefined) return [];
  const { git_ref: commit, git_dirty: isDirty, git_changes: changes = [], git_changes_in_run: changesInRun = [] } = run;
  if (commit === undefined || !isSameCommit(commit, expected)) {
    const actual = commit === undefined ? 'has no commit' : `was made at commit ${commit}`;
    const message = `The package ${actual}, but ${expected} is expected.`;
    return [fileFinding(file, 'package.other_commit', { message, hint: 'Run the recipe on that commit.' })];
  }
  if (isDirty === false) return [];
  const findings: Finding[] = [];
  const addFinding = (message: string, hint: string): void => {
    findings.push(fileFinding(file, 'package.dirty_tree', { message, hint }));
  };
  if (isDirty === undefined) {
    const message = `The package was made at commit ${commit}, but recipewright does not know whether the work tree was clean.`;
    addFinding(message, 'Run the recipe where "git status" works.');
    return findings;
  }
  if (changes.length > 0 || changesInRun.length === 0) {
    const message = `The recipe ran in a work tree that differed from commit ${commit}: ${changes.join(', ')}.`;
    addFinding(message, 'Commit, remove or ignore these files, and run the recipe again.');
  }
  if (changesInRun.length > 0) {
    const message = `Tracked files changed during the run, so the run may have used other code than commit ${commit}: ${changesInRun.join(', ')}.`;
    const hint =
      'Do not change tracked files while recipes run, and let recipes write to untracked files. Then run the recipe again.';
    addFinding(message, hint);
  }
  return findings;
}

// `expected` may be an abbreviated hash.
function isSameCommit(commit: string, expected: string): boolean {
  return commit === expected || (/^[0-9a-f]{7,}$/.test(expected) && commit.startsWith(expected));
}
