// Whether a package is what its run left behind, and what it then proves. Everything is checked offline, from the directory alone.
import { join, resolve } from 'node:path';
import type { Vocabulary } from '../actions/vocabulary.js';
import { checkFile } from '../check/checkFile.js';
import { type Finding, hasErrors } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { type Commit, mergeTreeChanges } from '../evidence/commit.js';
import { digestOf } from '../evidence/digest.js';
import type { RunLine } from '../evidence/models/journalLine.js';
import { brokenChainFinding, noDirectoryFinding } from '../evidence/readPackage.js';
import { recipeId } from '../evidence/runIdentity.js';
import type { Proof } from '../evidence/verdict.js';
import type { Status } from '../recipe/recipe.js';
import { knownActions } from '../registry/registry.js';
import { fileSize, readPathKind } from '../system/files/files.js';
import { findProjectRoot } from '../system/project.js';
import { compareFiles } from './compareFiles.js';
import { readTreeChanges } from './readPackageParts.js';
import { checkReplay, rebuildPackage } from './rebuildPackage.js';
import { type JournalScan, scanJournal } from './scanJournal.js';

export type VerifyOptions = {
  /** The recipe that the package is to be of, as a file. */
  recipe?: string;
  /** The project that the recipe lies in. */
  projectRoot?: string;
  libraries?: ReadonlyMap<string, string>;
  /** The commit that the package is to be of. */
  gitRef?: string;
  /** A project's own actions that run other nodes; unknown actions are taken for ones that do not. */
  registry?: Vocabulary;
};

export type Verification = {
  /** `incomplete`: the run was cut short, and what it left is intact. */
  status: 'verified' | 'invalid' | 'incomplete';
  /** What the evidence proves; unknown when it does not hold. */
  verdict: Status;
  reason: string;
  proof: Proof[];
  findings: Finding[];
  /** The first line of the journal, which says of what the package is, as far as it can be read; with what changed while it ran. */
  run?: (RunLine & Commit) | undefined;
};

/** Larger traces are held against the journal only, which says as much. */
const maxTraceBytes = 64_000_000;

export function verifyPackage(dir: string, options: VerifyOptions = {}): Verification {
  if (readPathKind(dir) !== 'directory') return invalidVerification([noDirectoryFinding(dir)]);
  const survey = scanJournal(join(dir, 'journal.jsonl'));
  const { run } = survey;
  return { ...verifyScanned(dir, survey, options), ...(run ? { run: { ...run, ...readCommit(dir, survey) } } : {}) };
}

function verifyScanned(dir: string, survey: JournalScan, options: VerifyOptions): Verification {
  const { broken } = survey;
  if (isCutShort(dir, survey)) return cutShortVerification(dir, survey, options);
  const withTrace = (fileSize(join(dir, 'trace.json')) ?? 0) <= maxTraceBytes;
  const findings = [...checkPackage(dir, { withTrace }), ...compareFiles(dir)];
  if (!survey.exists) findings.push(noJournalFinding(survey.file));
  else if (broken) findings.push(brokenChainFinding(survey.file, broken.line, broken.problem));
  findings.push(...checkExpectations(dir, survey, options));
  // One cause makes several files differ: the rest is compared only while nothing is known to be wrong.
  if (hasErrors(findings)) return invalidVerification(findings);
  const { summary, findings: differences } = rebuildPackage(dir, survey);
  findings.push(...differences, ...checkReplay(dir, survey, options.registry));
  if (hasErrors(findings)) return invalidVerification(findings);
  const { status, reason, proof } = summary;
  return { status: 'verified', verdict: status, reason, proof, findings };
}

function invalidVerification(findings: Finding[]): Verification {
  const first = findings.find(({ severity }) => severity === 'error');
  return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${first?.message}`, proof: [], findings };
}

// The summary and the manifest come last. A journal without its last line has not even a trace.
function isCutShort(dir: string, { exists, closing }: JournalScan): boolean {
  const late = ['artifact-manifest.json', 'summary.json', ...(closing ? [] : ['trace.json'])];
  return exists && late.every((name) => readPathKind(join(dir, name)) === undefined);
}

function cutShortVerification(dir: string, survey: JournalScan, options: VerifyOptions): Verification {
  const { file, broken, isTorn, closing, verdict } = survey;
  const findings = checkExpectations(dir, survey, options);
  if (broken && !isTorn) findings.unshift(brokenChainFinding(file, broken.line, broken.problem));
  if (hasErrors(findings)) return invalidVerification(findings);
  // What a run that came to its end would have proved is not proven by what is left of its package.
  if (closing)
    return { status: 'incomplete', verdict: 'unknown', reason: 'interrupted while its package was written', proof: [], findings };
  return { status: 'incomplete', verdict: 'unknown', reason: verdict.reason, proof: verdict.proof, findings };
}

function noJournalFinding(file: string): Finding {
  return {
    ...{ code: 'package.no_journal', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'The package has no journal, so nothing can be held against what happened.',
    hint: 'Packages of other runners have none: "recipewright validate --artifact-dir" checks what can be checked of them.',
  };
}

// Whether a package is of the recipe and the commit that somebody asks about.

/** What the package says of its commit: when its run began, and when it had ended. */
export function readCommit(dir: string, { run, closing }: JournalScan): Commit {
  const changed = mergeTreeChanges(closing, { treeChanges: readTreeChanges(dir) });
  const { git_ref, git_dirty, git_changes, tree_digest } = run ?? {};
  const commit = omitUndefined({ git_ref, git_dirty, git_changes, tree_digest });
  return changed.length > 0 ? { ...commit, git_dirty: true, git_changes_in_run: changed } : commit;
}

export function checkExpectations(dir: string, survey: JournalScan, options: VerifyOptions): Finding[] {
  const { run, file } = survey;
  if (options.recipe === undefined && options.gitRef === undefined) return [];
  if (!run)
    return [packageFinding(file, 'package.no_opening', 'The journal does not say of which recipe and commit it is.', rerunHint)];
  return [...checkRecipe(dir, run.recipe, options), ...checkCommit(file, readCommit(dir, survey), options.gitRef)];
}

const rerunHint = 'Run the recipe again, and keep what that run leaves.';

type RecipeIdentity = { id: string; digest: string };

function checkRecipe(dir: string, ran: RecipeIdentity, options: VerifyOptions): Finding[] {
  if (options.recipe === undefined) return [];
  const file = resolve(options.recipe);
  const projectRoot = options.projectRoot ?? findProjectRoot(file);
  const { libraries = new Map<string, string>(), registry = knownActions } = options;
  const { compiled, findings } = checkFile(file, { vocabulary: registry, projectRoot, libraries });
  if (!compiled) return findings.filter(({ severity }) => severity === 'error');
  const place = join(dir, 'recipe.json');
  const id = recipeId(file, projectRoot);
  if (digestOf(compiled.recipe.json) !== ran.digest) {
    const message = `The package is of ${JSON.stringify(ran.id)} as it was, not of ${JSON.stringify(id)} as it is: the documents differ.`;
    return [packageFinding(place, 'package.other_recipe', message, 'Run the recipe as it is now, or name the one that ran.')];
  }
  if (ran.id === id || options.projectRoot === undefined) return [];
  const message = `The package is of ${JSON.stringify(ran.id)}, which says the same as ${JSON.stringify(id)} but is another recipe.`;
  return [packageFinding(place, 'package.other_recipe', message, 'Name the recipe that ran, or run this one.')];
}

function checkCommit(file: string, run: Commit, expected: string | undefined): Finding[] {
  if (expected === undefined) return [];
  const { git_ref: ran, git_dirty: isDirty, git_changes: changes = [], git_changes_in_run: changed = [] } = run;
  if (ran === undefined || !isSameCommit(ran, expected)) {
    const message = `The package is of ${ran === undefined ? 'no commit that it knows' : `commit ${ran}`}, not of ${expected}.`;
    return [packageFinding(file, 'package.other_commit', message, 'Run the recipe on that commit.')];
  }
  if (isDirty === false) return [];
  const dirty = (message: string, hint: string): Finding => packageFinding(file, 'package.dirty_tree', message, hint);
  if (isDirty === undefined)
    return [
      dirty(
        `The package is of commit ${ran}, but does not say whether its work tree was clean.`,
        'Run the recipe where "git status" works.',
      ),
    ];
  const findings = [];
  if (changes.length > 0 || changed.length === 0)
    findings.push(
      dirty(
        `The recipe ran in a work tree that differed from commit ${ran}: ${changes.join(', ')}.`,
        'Commit or remove these files, or have git ignore them, and run the recipe again.',
      ),
    );
  if (changed.length > 0)
    findings.push(
      dirty(
        `Tracked files changed while the run of the recipe went on, so that it is not known to be of commit ${ran} alone: ${changed.join(', ')}.`,
        'Change nothing while recipes run, have them write to files that git does not track, and run the recipe again.',
      ),
    );
  return findings;
}

// People give the beginning of it.
function isSameCommit(ran: string, expected: string): boolean {
  return ran === expected || (/^[0-9a-f]{7,}$/.test(expected) && ran.startsWith(expected));
}

function packageFinding(file: string, code: string, message: string, hint: string): Finding {
  return { code, severity: 'error', path: '', place: { file, line: 1, column: 1 }, message, hint };
}
