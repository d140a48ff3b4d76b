// Whether a package is of the recipe and the commit that somebody asks about.
import { join, resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import type { Finding } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { type Commit, treeChangesIn } from '../evidence/commitText.js';
import { digestOf } from '../evidence/digest.js';
import { recipeId } from '../evidence/recipeId.js';
import { knownActions } from '../registry/registry.js';
import { findProjectRoot } from '../system/project.js';
import { treeChangesNoted } from './partsIn.js';
import type { Survey } from './surveyJournal.js';
import type { VerifyOptions } from './verifyPackage.js';

/** What the package says of its commit: when its run began, and when it had ended. */
export function commitOf(dir: string, { run, closing }: Survey): Commit {
  const changed = treeChangesIn(closing, { treeChanges: treeChangesNoted(dir) });
  const { git_ref, git_dirty, git_changes, tree_digest } = run ?? {};
  const said = omitUndefined({ git_ref, git_dirty, git_changes, tree_digest });
  return changed.length > 0 ? { ...said, git_dirty: true, git_changes_in_run: changed } : said;
}

export function otherThanExpected(dir: string, survey: Survey, options: VerifyOptions): Finding[] {
  const { run, file } = survey;
  if (options.recipe === undefined && options.gitRef === undefined) return [];
  if (!run) return [report(file, 'package.no_opening', 'The journal does not say of which recipe and commit it is.', anew)];
  return [...otherRecipe(dir, run.recipe, options), ...otherCommit(file, commitOf(dir, survey), options.gitRef)];
}

const anew = 'Run the recipe again, and keep what that run leaves.';

type Named = { id: string; digest: string };

function otherRecipe(dir: string, ran: Named, options: VerifyOptions): Finding[] {
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
    return [report(place, 'package.other_recipe', message, 'Run the recipe as it is now, or name the one that ran.')];
  }
  if (ran.id === id || options.projectRoot === undefined) return [];
  const message = `The package is of ${JSON.stringify(ran.id)}, which says the same as ${JSON.stringify(id)} but is another recipe.`;
  return [report(place, 'package.other_recipe', message, 'Name the recipe that ran, or run this one.')];
}

function otherCommit(file: string, run: Commit, asked: string | undefined): Finding[] {
  if (asked === undefined) return [];
  const { git_ref: ran, git_dirty: isDirty, git_changes: changes = [], git_changes_in_run: changed = [] } = run;
  if (ran === undefined || !isSameCommit(ran, asked)) {
    const message = `The package is of ${ran === undefined ? 'no commit that it knows' : `commit ${ran}`}, not of ${asked}.`;
    return [report(file, 'package.other_commit', message, 'Run the recipe on that commit.')];
  }
  if (isDirty === false) return [];
  const dirty = (message: string, hint: string): Finding => report(file, 'package.dirty_tree', message, hint);
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
function isSameCommit(ran: string, asked: string): boolean {
  return ran === asked || (/^[0-9a-f]{7,}$/.test(asked) && ran.startsWith(asked));
}

function report(file: string, code: string, message: string, hint: string): Finding {
  return { code, severity: 'error', path: '', place: { file, line: 1, column: 1 }, message, hint };
}
