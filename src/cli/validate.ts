// recipewright validate FILES… [--production] [--action-manifest F] [--library name=path …] [--json]
// recipewright validate --artifact-dir DIR [--json]
import { join, resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { exitCodes } from '../evidence/failure.js';
import { readBytesIfThere } from '../system/files.js';
import { type DeclaredOptions, declared } from './declared.js';
import { filesNamed } from './filesNamed.js';
import { print, printJson } from './output.js';
import { asJson, type Checked, inWords } from './report.js';
import { UsageError } from './usage.js';

export type ValidateOptions = DeclaredOptions & { production?: unknown; artifactDir?: unknown; json?: unknown };

export function validate(names: readonly string[], options: ValidateOptions): number {
  const checked = options.artifactDir === undefined ? checkFiles(names, options) : checkDirectory(names, options);
  if (options.json) printJson(asJson(checked));
  else print(inWords(checked));
  return checked.some(({ findings }) => hasErrors(findings)) ? exitCodes.failed : exitCodes.pass;
}

function checkFiles(names: readonly string[], options: ValidateOptions): Checked[] {
  if (names.length === 0) throw new UsageError('validate needs files, directories or patterns, or --artifact-dir <dir>.');
  const { manifest, ...known } = declared(options);
  const checks = { ...known, projectRoot: process.cwd(), production: options.production === true };
  const files = filesNamed(names).map((file): Checked => ({ file, ...checkFile(file, checks) }));
  return manifest && manifest.findings.length > 0 ? [manifest, ...files] : files;
}

const packageFiles = ['artifact-manifest.json', 'summary.json', 'trace.json', 'recipe.json'];

// One entry for each file of the package, those that only a finding names included.
function checkDirectory(
  names: readonly string[],
  { artifactDir, production, actionManifest, library }: ValidateOptions,
): Checked[] {
  if (names.length > 0) throw new UsageError('validate takes either files or --artifact-dir <dir>, not both.');
  if (production || actionManifest !== undefined || library !== undefined)
    throw new UsageError('--production, --action-manifest and --library are for recipes, not for --artifact-dir.');
  if (typeof artifactDir !== 'string') throw new UsageError('--artifact-dir needs one directory.');
  const dir = resolve(artifactDir);
  const findings = checkPackage(dir);
  const named = findings.map(({ place }) => place.file);
  const files = named.includes(dir) ? named : [...packageFiles.map((name) => join(dir, name)), ...named];
  return [...new Set(files)].map((file) => ({
    file,
    text: file === dir ? '' : (readBytesIfThere(file)?.toString() ?? ''),
    findings: findings.filter(({ place }) => place.file === file),
  }));
}
