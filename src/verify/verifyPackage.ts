// Whether a package is what its run left behind, and what it then proves. Everything is checked offline, from the directory alone.
import { join } from 'node:path';
import type { Vocabulary } from '../actions/vocabulary.js';
import { type Finding, hasErrors } from '../document/finding.js';
import { checkPackage } from '../evidence/checkPackage.js';
import type { Commit } from '../evidence/commitText.js';
import type { RunLine } from '../evidence/models/journalLine.js';
import { brokenChain, noDirectory } from '../evidence/readPackage.js';
import type { Proof } from '../evidence/verdict.js';
import type { Status } from '../recipe/recipe.js';
import { fileSize, readPathKind } from '../system/files/files.js';
import { compareFiles } from './compareFiles.js';
import { commitOf, otherThanExpected } from './otherThanExpected.js';
import { rebuild } from './rebuild.js';
import { replayFindings } from './replayFindings.js';
import { type Survey, surveyJournal } from './surveyJournal.js';

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
const largestShape = 64_000_000;

export function verifyPackage(dir: string, options: VerifyOptions = {}): Verification {
  if (readPathKind(dir) !== 'directory') return refused([noDirectory(dir)]);
  const survey = surveyJournal(join(dir, 'journal.jsonl'));
  const { run } = survey;
  return { ...verifySurveyed(dir, survey, options), ...(run ? { run: { ...run, ...commitOf(dir, survey) } } : {}) };
}

function verifySurveyed(dir: string, survey: Survey, options: VerifyOptions): Verification {
  const { broken } = survey;
  if (isCutShort(dir, survey)) return cutShort(dir, survey, options);
  const withTrace = (fileSize(join(dir, 'trace.json')) ?? 0) <= largestShape;
  const findings = [...checkPackage(dir, { withTrace }), ...compareFiles(dir)];
  if (!survey.exists) findings.push(noJournal(survey.file));
  else if (broken) findings.push(brokenChain(survey.file, broken.line, broken.problem));
  findings.push(...otherThanExpected(dir, survey, options));
  // One cause makes several files differ: the rest is compared only while nothing is known to be wrong.
  if (hasErrors(findings)) return refused(findings);
  const { summary, findings: differences } = rebuild(dir, survey);
  findings.push(...differences, ...replayFindings(dir, survey, options.registry));
  if (hasErrors(findings)) return refused(findings);
  const { status, reason, proof } = summary;
  return { status: 'verified', verdict: status, reason, proof, findings };
}

function refused(findings: Finding[]): Verification {
  const first = findings.find(({ severity }) => severity === 'error');
  return { status: 'invalid', verdict: 'unknown', reason: `the evidence does not hold: ${first?.message}`, proof: [], findings };
}

// The summary and the manifest come last. A journal without its last line has not even a trace.
function isCutShort(dir: string, { exists, closing }: Survey): boolean {
  const late = ['artifact-manifest.json', 'summary.json', ...(closing ? [] : ['trace.json'])];
  return exists && late.every((name) => readPathKind(join(dir, name)) === undefined);
}

function cutShort(dir: string, survey: Survey, options: VerifyOptions): Verification {
  const { file, broken, isTorn, closing, verdict } = survey;
  const findings = otherThanExpected(dir, survey, options);
  if (broken && !isTorn) findings.unshift(brokenChain(file, broken.line, broken.problem));
  if (hasErrors(findings)) return refused(findings);
  // What a run that came to its end would have proved is not proven by what is left of its package.
  if (closing)
    return { status: 'incomplete', verdict: 'unknown', reason: 'interrupted while its package was written', proof: [], findings };
  return { status: 'incomplete', verdict: 'unknown', reason: verdict.reason, proof: verdict.proof, findings };
}

function noJournal(file: string): Finding {
  return {
    ...{ code: 'package.no_journal', severity: 'error', path: '', place: { file, line: 1, column: 1 } },
    message: 'The package has no journal, so nothing can be held against what happened.',
    hint: 'Packages of other runners have none: "recipewright validate --artifact-dir" checks what can be checked of them.',
  };
}
