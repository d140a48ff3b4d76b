// recipewright verify DIR [--statement FILE] [--recipe FILE] [--git-ref REF] [--project-root DIR] [--library name=path …] [--json]
import { join, resolve } from 'node:path';
import type { Finding } from '../document/finding.js';
import { present } from '../document/present.js';
import { escapeControls, printFinding } from '../document/printFinding.js';
import { commitText } from '../evidence/commitText.js';
import { exitCodes } from '../evidence/failure.js';
import { statementOf } from '../evidence/statement.js';
import { fileDigest } from '../system/fileDigest.js';
import { kindOf, writeWhole } from '../system/files.js';
import { resolveCommit } from '../system/gitTree.js';
import { placeFinding } from '../verify/checkSuite.js';
import { type VerifyOptions as Expected, type Verification, verifyPackage } from '../verify/verifyPackage.js';
import { refusedFor, type SuiteVerification, verifySuite } from '../verify/verifySuite.js';
import { type DeclaredOptions, declared } from './declared.js';
import { print, printJson } from './output.js';
import { packageNamed } from './packageNamed.js';
import { asJson, shown } from './report.js';
import { UsageError } from './usage.js';

export type VerifyOptions = Omit<DeclaredOptions, 'actionManifest'> & {
  recipe?: unknown;
  gitRef?: unknown;
  statement?: unknown;
  json?: unknown;
};

export function verify(names: readonly string[], options: VerifyOptions): number {
  const { exitCode, document, text } = answer(names, options);
  if (options.json) printJson(document);
  else print(text);
  return exitCode;
}

/** Green only when the evidence is intact and says pass. */
export function answer(names: readonly string[], options: VerifyOptions): { exitCode: number; document: unknown; text: string } {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`verify needs one directory, but it got ${names.length}.`);
  const dir = packageNamed(
    name,
    `There is no directory ${name}: name the one that a run wrote its package to, or a zip archive of it.`,
  );
  const file = textOf(options.statement, '--statement');
  const wanted = expected(options);
  const suite = verifySuite(dir, wanted);
  if (suite) return suiteAnswer(dir, suite, options);
  const verification = inItsSuite(dir, verifyPackage(dir, wanted));
  const stated = file === undefined ? '' : writeStatement(file, dir, verification);
  const isGreen = verification.status === 'verified' && verification.verdict === 'pass';
  return {
    exitCode: isGreen ? exitCodes.pass : exitCodes.failed,
    document: inJson(dir, verification),
    text: `${inWords(verification)}${stated}`,
  };
}

/** A package that lies in a suite is to be the one that the last run left there. */
function inItsSuite(dir: string, verification: Verification): Verification {
  const finding = placeFinding(dir);
  if (!finding) return verification;
  const findings = [...verification.findings, finding];
  return { ...verification, ...(verification.status === 'invalid' ? {} : refusedFor(finding)), findings };
}

function suiteAnswer(dir: string, suite: SuiteVerification, { recipe, statement }: VerifyOptions): ReturnType<typeof answer> {
  for (const [option, value] of Object.entries({ '--recipe': recipe, '--statement': statement }))
    if (value !== undefined) throw new UsageError(`${option} is for one package, but ${dir} is a suite: name a directory in it.`);
  const { packages, notExecuted, findings, ...said } = suite;
  const isGreen = said.status === 'verified' && said.verdict === 'pass';
  return {
    exitCode: isGreen ? exitCodes.pass : exitCodes.failed,
    document: {
      ...said,
      packages: packages.map((one) => ({ name: one.name, ...(inJson(join(dir, one.name), one) as object) })),
      not_executed: notExecuted,
      ...{ findings: findingsIn(dir, findings), ...present({ startedAt: startOf(packages) }), signed: false },
    },
    text: suiteText(suite),
  };
}

function suiteText({ status, verdict, reason, findings, packages, notExecuted }: SuiteVerification): string {
  const rows = packages.map((one) => `  ${one.status} ${one.verdict.padEnd(8)} ${one.name}\n`);
  const left = notExecuted.map(({ name, outcome }) => `  ${outcome.replace('_', ' ').padEnd(17)} ${name}\n`);
  const commits = new Set(packages.map(({ run }) => commitLine(run)));
  const lines = [...commits].map((commit) => `Commit: ${commit}\n`);
  const began = startOf(packages);
  const date = began === undefined ? '' : `Run: ${began}\n`;
  const said = `Suite: ${status}, ${verdict}: ${reason}\n${rows.join('')}${left.join('')}${lines.join('')}${date}Unsigned: nothing here proves who wrote the files.\n`;
  return `${framesOf(findings)}${escapeControls(said)}`;
}

/** When the first of them began. */
function startOf(packages: readonly Verification[]): string | undefined {
  const [first] = packages.flatMap(({ run }) => run?.at ?? []).sort();
  return first;
}

/** Of a package that does not hold there is nothing to be stated. */
function writeStatement(file: string, dir: string, { status, verdict, proof }: Verification): string {
  const [manifest, recipe] = ['artifact-manifest.json', 'recipe.json'].map((name) => fileDigest(join(dir, name))?.sha256);
  if (status !== 'verified' || manifest === undefined) return 'No statement is written: the evidence does not hold.\n';
  writeWhole(resolve(file), `${JSON.stringify(statementOf({ verdict, proof, manifest, recipe }), null, 2)}\n`);
  return `Statement: ${escapeControls(file)}, unsigned\n`;
}

function expected({ recipe, gitRef, projectRoot, library }: VerifyOptions): Expected {
  const named = {
    recipe: fileOf(recipe),
    gitRef: commitOf(textOf(gitRef, '--git-ref')),
    projectRoot: textOf(projectRoot, '--project-root'),
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...given, libraries: declared({ library }).libraries };
}

/** The whole name of a commit; where git cannot be asked, as much of it as was given. */
function commitOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const commit = resolveCommit(process.cwd(), name);
  if (commit !== undefined || /^[0-9a-f]{7,64}$/.test(name)) return commit ?? name;
  throw new UsageError(
    `--git-ref: git knows no commit ${JSON.stringify(name)} in ${process.cwd()}. Run verify in the repository, or give the commit's id.`,
  );
}

function fileOf(recipe: unknown): string | undefined {
  const file = textOf(recipe, '--recipe');
  if (file !== undefined && kindOf(file) !== 'file') throw new UsageError(`--recipe needs a file, but ${file} is none.`);
  return file;
}

function textOf(value: unknown, option: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`${option} needs one value.`);
  return value;
}

function inJson(dir: string, { findings, run, ...said }: Verification): unknown {
  return { ...said, findings: findingsIn(dir, findings), ...provenanceOf(run) };
}

function findingsIn(dir: string, findings: Finding[]): unknown {
  const { files } = asJson([{ file: dir, text: '', findings }]) as { files: { findings: unknown }[] };
  return files[0]?.findings;
}

/** Of what the package says it is. Nobody signed it, so that whoever wrote the files vouches for it. */
export function provenanceOf(run: Verification['run']) {
  const { recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, at: startedAt } = run ?? {};
  return { ...present({ recipe, git_ref, git_dirty, git_changes, git_changes_in_run, tree_digest, startedAt }), signed: false };
}

const unsigned = 'Unsigned: nothing here proves who wrote the files. --statement writes what can be signed.\n';

function commitLine(run: Verification['run']): string {
  const said = run && commitText(run);
  return said === undefined
    ? 'none is recorded'
    : `${said}${run?.git_dirty === false ? ' (files that git ignores are not covered)' : ''}`;
}

function provenanceText(run: Verification['run']): string {
  if (!run) return '';
  const { recipe, at } = run;
  const title = recipe.title === undefined ? '' : ` (${recipe.title})`;
  return `Recipe: ${recipe.id}${title}\nCommit: ${commitLine(run)}\nRun: ${at}\n${unsigned}`;
}

function inWords({ status, verdict, reason, proof, findings, run }: Verification): string {
  const claims = proof.map(
    ({ id, claim, status: said, reason: why }) => `  ${said.padEnd(8)} ${id}: ${claim}${why ? ` (${why})` : ''}\n`,
  );
  return `${framesOf(findings)}${escapeControls(`Evidence: ${status}, ${verdict}: ${reason}\n${claims.join('')}${provenanceText(run)}`)}`;
}

function framesOf(findings: readonly Finding[]): string {
  return findings.map((finding) => `${finding.severity}: ${printFinding(nearby(finding))}\n\n`).join('');
}

// Without a code frame: what differs is often no text.
function nearby(finding: Finding): Finding {
  return { ...finding, place: { ...finding.place, file: shown(finding.place.file) } };
}
