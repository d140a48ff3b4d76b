// recipewright validate FILES… [--production] [--action-manifest F] [--library name=path …] [--project-root DIR] [--json]
// recipewright validate --artifact-dir DIR [--json]
import { join, resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { exitCodes } from '../evidence/failure.js';
import { readBytesIfThere } from '../system/files.js';
import { type DeclaredOptions, declared, rootsOf, whyNotHeldTo } from './declared.js';
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
  const rootOf = rootsOf(options);
  const files = filesNamed(names);
  const unchecked = whyNotHeldTo(manifest);
  if (manifest && unchecked !== undefined)
    return [manifest, ...files.map((file): Checked => ({ file, text: '', findings: [], unchecked }))];
  const production = options.production === true;
  const checked = files.map(
    (file): Checked => ({ file, ...checkFile(file, { ...known, projectRoot: rootOf(file), production }) }),
  );
  return manifest && manifest.findings.length > 0 ? [manifest, ...checked] : checked;
}

const packageFiles = ['artifact-manifest.json', 'summary.json', 'trace.json', 'recipe.json'];

// One entry for each file of the package, those that only a finding names included.
function checkDirectory(
  names: readonly string[],
  { artifactDir, production, actionManifest, library, projectRoot }: ValidateOptions,
): Checked[] {
  if (names.length > 0) throw new UsageError('validate takes either files or --artifact-dir <dir>, not both.');
  if (production || [actionManifest, library, projectRoot].some((option) => option !== undefined))
    throw new UsageError(
      '--production, --action-manifest, --library and --project-root are for recipes, not for --artifact-dir.',
    );
  if (typeof artifactDir !== 'string' || artifactDir === '') throw new UsageError('--artifact-dir needs one directory.');
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
