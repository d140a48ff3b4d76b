// recipewright verify DIR [--statement FILE] [--recipe FILE] [--git-ref REF] [--project-root DIR] [--library name=path …] [--json]
import { join, resolve } from 'node:path';
import type { Finding } from '../document/finding.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { escapeControls, printFinding } from '../document/printFinding.js';
import { describeCommit } from '../evidence/commit.js';
import { exitCodes } from '../evidence/exitCodes.js';
import { createStatement } from '../evidence/inTotoStatement.js';
import { digestFile } from '../system/files/fileDigest.js';
import { readPathKind, writeFileAtomically } from '../system/files/files.js';
import { resolveCommit } from '../system/git/gitTree.js';
import { type VerifyOptions as Expected, type Verification, verifyPackage } from '../verify/verifyPackage.js';
import { checkPlaceInSuite, invalidForFinding, type SuiteVerification, verifySuite } from '../verify/verifySuite.js';
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

/** Green only when the evidence is intact and says pass. */
export function verifyAnswer(
  names: readonly string[],
  options: VerifyOptions,
): { exitCode: number; document: unknown; text: string } {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`verify needs one directory, but it got ${names.length}.`);
  const dir = openPackageDir(
    name,
    `There is no directory ${name}: name the one that a run wrote its package to, or a zip archive of it.`,
  );
  const file = parseText(options.statement, '--statement');
  const expectations = parseExpectations(options);
  const suite = verifySuite(dir, expectations);
  if (suite) return suiteAnswer(dir, suite, options);
  const verification = withSuiteFinding(dir, verifyPackage(dir, expectations));
  const statementLine = file === undefined ? '' : writeStatement(file, dir, verification);
  const isGreen = verification.status === 'verified' && verification.verdict === 'pass';
  return {
    exitCode: isGreen ? exitCodes.pass : exitCodes.failed,
    document: verificationToJson(dir, verification),
    text: `${verificationToText(verification)}${statementLine}`,
  };
}

/** A package that lies in a suite is to be the one that the last run left there. */
function withSuiteFinding(dir: string, verification: Verification): Verification {
  const finding = checkPlaceInSuite(dir);
  if (!finding) return verification;
  const findings = [...verification.findings, finding];
  return { ...verification, ...(verification.status === 'invalid' ? {} : invalidForFinding(finding)), findings };
}

function suiteAnswer(
  dir: string,
  suite: SuiteVerification,
  { recipe, statement }: VerifyOptions,
): ReturnType<typeof verifyAnswer> {
  for (const [option, value] of Object.entries({ '--recipe': recipe, '--statement': statement }))
    if (value !== undefined) throw new UsageError(`${option} is for one package, but ${dir} is a suite: name a directory in it.`);
  const { packages, notExecuted, findings, ...outcome } = suite;
  const isGreen = outcome.status === 'verified' && outcome.verdict === 'pass';
  return {
    exitCode: isGreen ? exitCodes.pass : exitCodes.failed,
    document: {
      ...outcome,
      packages: packages.map((one) => ({ name: one.name, ...(verificationToJson(join(dir, one.name), one) as object) })),
      not_executed: notExecuted,
      ...{ findings: findingsOfDir(dir, findings), ...omitUndefined({ startedAt: earliestStart(packages) }), signed: false },
    },
    text: suiteText(suite),
  };
}

function suiteText({ status, verdict, reason, findings, packages, notExecuted }: SuiteVerification): string {
  const rows = packages.map((one) => `  ${one.status} ${one.verdict.padEnd(8)} ${one.name}\n`);
  const left = notExecuted.map(({ name, outcome }) => `  ${outcome.replace('_', ' ').padEnd(17)} ${name}\n`);
  const commits = new Set(packages.map(({ run }) => commitLine(run)));
  const lines = [...commits].map((commit) => `Commit: ${commit}\n`);
  const startedAt = earliestStart(packages);
  const date = startedAt === undefined ? '' : `Run: ${startedAt}\n`;
  const text = `Suite: ${status}, ${verdict}: ${reason}\n${rows.join('')}${left.join('')}${lines.join('')}${date}Unsigned: nothing here proves who wrote the files.\n`;
  return `${findingLines(findings)}${escapeControls(text)}`;
}

/** When the first of them began. */
function earliestStart(packages: readonly Verification[]): string | undefined {
  const [first] = packages.flatMap(({ run }) => run?.at ?? []).sort();
  return first;
}

/** Of a package that does not hold there is nothing to be stated. */
function writeStatement(file: string, dir: string, { status, verdict, proof }: Verification): string {
  const [manifest, recipe] = ['artifact-manifest.json', 'recipe.json'].map((name) => digestFile(join(dir, name))?.sha256);
  if (status !== 'verified' || manifest === undefined) return 'No statement is written: the evidence does not hold.\n';
  writeFileAtomically(resolve(file), `${JSON.stringify(createStatement({ verdict, proof, manifest, recipe }), null, 2)}\n`);
  return `Statement: ${escapeControls(file)}, unsigned\n`;
}

function parseExpectations({ recipe, gitRef, projectRoot, library }: VerifyOptions): Expected {
  const texts = {
    recipe: parseRecipeFile(recipe),
    gitRef: resolveGitRef(parseText(gitRef, '--git-ref')),
    projectRoot: parseText(projectRoot, '--project-root'),
  };
  const definedTexts = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return { ...definedTexts, libraries: readDeclarations({ library }).libraries };
}

/** The whole name of a commit; where git cannot be asked, as much of it as was given. */
function resolveGitRef(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const commit = resolveCommit(process.cwd(), name);
  if (commit !== undefined || /^[0-9a-f]{7,64}$/.test(name)) return commit ?? name;
  throw new UsageError(
    `--git-ref: git knows no commit ${JSON.stringify(name)} in ${process.cwd()}. Run verify in the repository, or give the commit's id.`,
  );
}

function parseRecipeFile(recipe: unknown): string | undefined {
  const file = parseText(recipe, '--recipe');
  if (file !== undefined && readPathKind(file) !== 'file') throw new UsageError(`--recipe needs a file, but ${file} is none.`);
  return file;
}

function parseText(value: unknown, option: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`${option} needs one value.`);
  return value;
}

function verificationToJson(dir: string, { findings, run, ...fields }: Verification): unknown {
  return { ...fields, findings: findingsOfDir(dir, findings), ...provenanceOf(run) };
}

function findingsOfDir(dir: string, findings: Finding[]): unknown {
  const { files } = findingsToJson([{ file: dir, text: '', findings }]) as { files: { findings: unknown }[] };
  return files[0]?.findings;
}

/** Of what the package says it is. Nobody signed it, so that whoever wrote the files vouches for it. */
export function provenanceOf(run: Verification['run']) {
  const { recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, at: startedAt } = run ?? {};
  return {
    ...omitUndefined({ recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, startedAt }),
    signed: false,
  };
}

const unsigned = 'Unsigned: nothing here proves who wrote the files. --statement writes what can be signed.\n';

function commitLine(run: Verification['run']): string {
  const text = run && describeCommit(run);
  return text === undefined
    ? 'none is recorded'
    : `${text}${run?.git_dirty === false ? ' (files that git ignores are not covered)' : ''}`;
}

function provenanceText(run: Verification['run']): string {
  if (!run) return '';
  const { recipe, at } = run;
  const title = recipe.title === undefined ? '' : ` (${recipe.title})`;
  return `Recipe: ${recipe.id}${title}\nCommit: ${commitLine(run)}\nRun: ${at}\n${unsigned}`;
}

function verificationToText({ status, verdict, reason, proof, findings, run }: Verification): string {
  const claims = proof.map(
    ({ id, claim, status: claimStatus, reason: claimReason }) =>
      `  ${claimStatus.padEnd(8)} ${id}: ${claim}${claimReason ? ` (${claimReason})` : ''}\n`,
  );
  return `${findingLines(findings)}${escapeControls(`Evidence: ${status}, ${verdict}: ${reason}\n${claims.join('')}${provenanceText(run)}`)}`;
}

function findingLines(findings: readonly Finding[]): string {
  return findings.map((finding) => `${finding.severity}: ${printFinding(withRelativePath(finding))}\n\n`).join('');
}

// Without a code frame: what differs is often no text.
function withRelativePath(finding: Finding): Finding {
  return { ...finding, place: { ...finding.place, file: relativeToCwd(finding.place.file) } };
}
