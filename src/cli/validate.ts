// recipewright validate FILES… [--production] [--setup M] [--action-manifest F] [--library name=path …] [--project-root DIR] [--json]
// recipewright validate --artifact-dir DIR [--json]
import { join, resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { exitCodes } from '../evidence/failure.js';
import type { Level } from '../formats/runtime/report.js';
import { readBytesIfThere } from '../system/files.js';
import { type DeclaredOptions, declared, declaredFor, whyNotHeldTo } from './declared.js';
import { filesNamed } from './filesNamed.js';
import { print, printJson } from './output.js';
import { asJson, type Checked, inWords } from './report.js';
import { UsageError } from './usage.js';

export type ValidateOptions = DeclaredOptions & { production?: unknown; level?: unknown; artifactDir?: unknown; json?: unknown };

export async function validate(names: readonly string[], options: ValidateOptions): Promise<number> {
  const checked = options.artifactDir === undefined ? await checkFiles(names, options) : checkDirectory(names, options);
  if (options.json) printJson(asJson(checked));
  else print(inWords(checked));
  return checked.some(({ findings }) => hasErrors(findings)) ? exitCodes.failed : exitCodes.pass;
}

async function checkFiles(names: readonly string[], options: ValidateOptions): Promise<Checked[]> {
  if (names.length === 0) throw new UsageError('validate needs files, directories or patterns, or --artifact-dir <dir>.');
  const said = declared(options);
  const { manifest } = said;
  const knownFor = declaredFor(options, said);
  const files = filesNamed(names);
  const unchecked = whyNotHeldTo(manifest);
  if (manifest && unchecked !== undefined)
    return [manifest, ...files.map((file): Checked => ({ file, text: '', findings: [], unchecked }))];
  const production = options.production === true;
  const level = levelOf(options.level);
  const checked: Checked[] = [];
  for (const file of files) checked.push({ file, ...checkFile(file, { ...(await knownFor(file)), production, level }) });
  return manifest && manifest.findings.length > 0 ? [manifest, ...checked] : checked;
}

function levelOf(level: unknown): Level {
  if (level === undefined) return 'compat';
  if (level === 'compat' || level === 'strict') return level;
  throw new UsageError(`--level is compat or strict, not ${JSON.stringify(level)}.`);
}

const packageFiles = ['artifact-manifest.json', 'summary.json', 'trace.json', 'recipe.json'];

// One entry for each file of the package, those that only a finding names included.
function checkDirectory(
  names: readonly string[],
  { artifactDir, production, actionManifest, library, projectRoot, setup }: ValidateOptions,
): Checked[] {
  if (names.length > 0) throw new UsageError('validate takes either files or --artifact-dir <dir>, not both.');
  if (production || [actionManifest, library, projectRoot, setup].some((option) => option !== undefined))
    throw new UsageError(
      '--production, --setup, --action-manifest, --library and --project-root are for recipes, not for --artifact-dir.',
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
