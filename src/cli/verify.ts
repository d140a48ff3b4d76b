// recipewright verify DIR [--statement FILE] [--recipe FILE] [--git-ref REF] [--project-root DIR] [--library name=path …] [--json]
import { join, resolve } from 'node:path';
import { type VerifyOptions as Expected, type Verification, verifyPackage } from '../check/verify/verifyPackage.js';
import type { Finding } from '../document/finding.js';
import { escapeControls, printFinding } from '../document/printFinding.js';
import { exitCodes } from '../evidence/failure.js';
import { statementOf } from '../evidence/statement.js';
import { fileDigest } from '../system/fileDigest.js';
import { kindOf, writeWhole } from '../system/files.js';
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
  const verification = verifyPackage(dir, expected(options));
  const stated = file === undefined ? '' : writeStatement(file, dir, verification);
  const isGreen = verification.status === 'verified' && verification.verdict === 'pass';
  return {
    exitCode: isGreen ? exitCodes.pass : exitCodes.failed,
    document: inJson(dir, verification),
    text: `${inWords(verification)}${stated}`,
  };
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
    gitRef: textOf(gitRef, '--git-ref'),
    projectRoot: textOf(projectRoot, '--project-root'),
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...given, libraries: declared({ library }).libraries };
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

function inJson(dir: string, { findings, ...said }: Verification): unknown {
  const { files } = asJson([{ file: dir, text: '', findings }]) as { files: { findings: unknown }[] };
  return { ...said, findings: files[0]?.findings };
}

function inWords({ status, verdict, reason, proof, findings }: Verification): string {
  const frames = findings.map((finding) => `${finding.severity}: ${printFinding(nearby(finding))}\n\n`);
  const claims = proof.map(
    ({ id, claim, status: said, reason: why }) => `  ${said.padEnd(8)} ${id}: ${claim}${why ? ` (${why})` : ''}\n`,
  );
  return `${frames.join('')}${escapeControls(`Evidence: ${status}, ${verdict}: ${reason}\n${claims.join('')}`)}`;
}

// Without a code frame: what differs is often no text.
function nearby(finding: Finding): Finding {
  return { ...finding, place: { ...finding.place, file: shown(finding.place.file) } };
}
