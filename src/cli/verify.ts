// recipewright verify: checks whether an evidence package, or a suite of packages, is intact, and what it proves.
import { join, resolve } from 'node:path';
import type { Finding } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { escapeControls, printFinding } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failureTable.js';
import { createStatement } from '../evidence/inTotoStatement.js';
import { describeCommit } from '../evidence/workTreeState.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readPathKind, writeFileAtomically } from '../system/files/files.js';
import { resolveCommit } from '../system/git/gitRepository.js';
import { type VerifyOptions as Expected, type Verification, verifyPackage } from '../verify/verifyPackage.js';
import { checkPlaceInSuite, invalidForFinding, type SuiteVerification, verifySuite } from '../verify/verifySuite.js';
import { parseText } from './arguments.js';
import { type DeclarationOptions, readDeclarations } from './declarations.js';
import { findingsToJson, relativeToCwd } from './findingsReport.js';
import { openPackageDir } from './openPackageDir.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export type VerifyOptions = Omit<DeclarationOptions, 'actionManifest'> & {
  recipe?: unknown;
  gitRef?: unknown;
  statement?: unknown;
  json?: unknown;
};

export function verify(names: readonly string[], options: VerifyOptions): number {
  const { exitCode, document, text } = verifyAnswer(names, options);
  if (options.json) printJson(document);
  else print(text);
  return exitCode;
}

type VerifyAnswer = { exitCode: number; document: unknown; text: string };

/** The exit code is 0 only when the evidence is intact and its verdict is pass. */
export function verifyAnswer(names: readonly string[], options: VerifyOptions): VerifyAnswer {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`verify needs one directory, but it got ${names.length}.`);
  const dir = openPackageDir(name);
  const statementFile = parseText('--statement', options.statement);
  const expectations = parseExpectations(options);
  const suite = verifySuite(dir, expectations);
  if (suite) return answerForSuite(dir, suite, options);
  const verification = withSuiteFinding(dir, verifyPackage(dir, expectations));
  const statementLine = statementFile === undefined ? '' : writeStatement(statementFile, dir, verification);
  const hasPassed = verification.status === 'verified' && verification.verdict === 'pass';
  return {
    exitCode: hasPassed ? exitCodes.pass : exitCodes.failed,
    document: verificationToJson(dir, verification),
    text: `${verificationToText(verification)}${statementLine}`,
  };
}

/** Adds a finding if the directory is part of a suite, but the last run of that suite did not write the package. */
function withSuiteFinding(dir: string, verification: Verification): Verification {
  const finding = checkPlaceInSuite(dir);
  if (!finding) return verification;
  const findings = [...verification.findings, finding];
  return { ...verification, ...(verification.status === 'invalid' ? {} : invalidForFinding(finding)), findings };
}

function answerForSuite(dir: string, suite: SuiteVerification, { recipe, statement }: VerifyOptions): VerifyAnswer {
  for (const [option, value] of Object.entries({ '--recipe': recipe, '--statement': statement }))
    if (value !== undefined)
      throw new UsageError(`${option} needs one package, but ${dir} is a suite. Pass the directory of a package in it.`);
  const { packages, notExecuted, findings, ...outcome } = suite;
  const hasPassed = outcome.status === 'verified' && outcome.verdict === 'pass';
  return {
    exitCode: hasPassed ? exitCodes.pass : exitCodes.failed,
    document: {
      ...outcome,
      packages: packages.map(({ name, ...verification }) => ({
        name,
        ...(verificationToJson(join(dir, name), verification) as object),
      })),
      not_executed: notExecuted,
      findings: listFindings(dir, findings),
      ...omitUndefined({ startedAt: findEarliestStart(packages) }),
      signed: false,
    },
    text: suiteToText(suite),
  };
}

function suiteToText({ status, verdict, reason, findings, packages, notExecuted }: SuiteVerification): string {
  const commits = new Set(packages.map(({ run }) => describeRunCommit(run)));
  const startedAt = findEarliestStart(packages);
  const lines = [
    `Suite: ${status}, ${verdict}: ${reason}`,
    ...packages.map((one) => `  ${one.status} ${one.verdict.padEnd(8)} ${one.name}`),
    ...notExecuted.map(({ name, outcome }) => `  ${outcome.replace('_', ' ').padEnd(17)} ${name}`),
    ...[...commits].map((commit) => `Commit: ${commit}`),
    ...(startedAt === undefined ? [] : [`Run: ${startedAt}`]),
    'Unsigned: nothing here proves who wrote the files.',
  ];
  return `${findingsToLines(findings)}${escapeControls(`${lines.join('\n')}\n`)}`;
}

function findEarliestStart(packages: readonly Verification[]): string | undefined {
  const [first] = packages.flatMap(({ run }) => run?.at ?? []).sort();
  return first;
}

/** Returns the line to print. Evidence that is not intact gets no statement. */
function writeStatement(file: string, dir: string, { status, verdict, proof }: Verification): string {
  const [manifest, recipe] = ['artifact-manifest.json', 'recipe.json'].map((name) => digestFile(join(dir, name))?.sha256);
  if (status !== 'verified' || manifest === undefined) return 'No statement was written, because the evidence is not verified.\n';
  writeFileAtomically(resolve(file), `${JSON.stringify(createStatement({ verdict, proof, manifest, recipe }), null, 2)}\n`);
  return `Statement: ${escapeControls(file)}, unsigned\n`;
}

function parseExpectations({ recipe, gitRef, projectRoot, library }: VerifyOptions): Expected {
  const texts = {
    recipe: parseRecipeFile(recipe),
    gitRef: resolveGitRef(parseText('--git-ref', gitRef)),
    projectRoot: parseText('--project-root', projectRoot),
  };
  const definedTexts = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return { ...definedTexts, libraries: readDeclarations({ library }).libraries };
}

/** Returns the full id of a commit. Outside a repository, a commit id is used as it was typed. */
function resolveGitRef(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const commit = resolveCommit(process.cwd(), name);
  if (commit !== undefined || /^[0-9a-f]{7,64}$/.test(name)) return commit ?? name;
  throw new UsageError(
    `--git-ref is ${JSON.stringify(name)}, but git knows no such commit in ${process.cwd()}. Run verify in the repository, or pass the id of the commit.`,
  );
}

function parseRecipeFile(recipe: unknown): string | undefined {
  const file = parseText('--recipe', recipe);
  if (file !== undefined && readPathKind(file) !== 'file')
    throw new UsageError(`--recipe needs a file, but ${file} is not a file.`);
  return file;
}

function verificationToJson(dir: string, { findings, run, ...fields }: Verification): unknown {
  return { ...fields, findings: listFindings(dir, findings), ...readProvenance(run) };
}

function listFindings(dir: string, findings: Finding[]): unknown {
  const { files } = findingsToJson([{ file: dir, text: '', findings }]) as { files: { findings: unknown }[] };
  return files[0]?.findings;
}

/** Returns the origin that the package itself records. It is unsigned: anyone who can change the files can change the origin too. */
function readProvenance(run: Verification['run']) {
  const { recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, at: startedAt } = run ?? {};
  return {
    ...omitUndefined({ recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, startedAt }),
    signed: false,
  };
}

const unsignedNote = 'Unsigned: nothing here proves who wrote the files. --statement writes a statement that you can sign.\n';

function describeRunCommit(run: Verification['run']): string {
  const text = run && describeCommit(run);
  return text === undefined
    ? 'not recorded'
    : `${text}${run?.git_dirty === false ? ' (files that git ignores are not covered)' : ''}`;
}

function provenanceToText(run: Verification['run']): string {
  if (!run) return '';
  const { recipe, at } = run;
  const title = recipe.title === undefined ? '' : ` (${recipe.title})`;
  return `Recipe: ${recipe.id}${title}\nCommit: ${describeRunCommit(run)}\nRun: ${at}\n${unsignedNote}`;
}

function verificationToText({ status, verdict, reason, proof, findings, run }: Verification): string {
  const claims = proof.map(
    ({ id, claim, status: claimStatus, reason: claimReason }) =>
      `  ${claimStatus.padEnd(8)} ${id}: ${claim}${claimReason ? ` (${claimReason})` : ''}\n`,
  );
  return `${findingsToLines(findings)}${escapeControls(`Evidence: ${status}, ${verdict}: ${reason}\n${claims.join('')}${provenanceToText(run)}`)}`;
}

function findingsToLines(findings: readonly Finding[]): string {
  return findings.map((finding) => `${finding.severity}: ${printFinding(withRelativePath(finding))}\n\n`).join('');
}

// Prints no code frame, because the files that differ are often binary.
function withRelativePath(finding: Finding): Finding {
  return { ...finding, place: { ...finding.place, file: relativeToCwd(finding.place.file) } };
}
