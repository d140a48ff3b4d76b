// recipewright validate: checks recipes, flow catalogs or an evidence package without running anything.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { checkFile } from '../check/checkFile.js';
import { hasErrors } from '../document/finding.js';
import { checkPackage } from '../evidence/checkPackage.js';
import { exitCodes } from '../evidence/failureTable.js';
import type { Strictness } from '../formats/runtime/findingReport.js';
import { findFiles, readBytesIfThere, readPathKind } from '../system/files/files.js';
import { createCheckOptions, type DeclarationOptions, describeBrokenManifest, readDeclarations } from './declarations.js';
import { type CheckedFile, findingsToJson, findingsToText } from './findingsReport.js';
import { print, printJson } from './output.js';
import { UsageError } from './usage.js';

export type ValidateOptions = DeclarationOptions & {
  production?: unknown;
  level?: unknown;
  artifactDir?: unknown;
  json?: unknown;
};

export async function validate(names: readonly string[], options: ValidateOptions): Promise<number> {
  const checked = options.artifactDir === undefined ? await checkFiles(names, options) : checkDirectory(names, options);
  if (options.json) printJson(findingsToJson(checked));
  else print(findingsToText(checked));
  return checked.some(({ findings }) => hasErrors(findings)) ? exitCodes.failed : exitCodes.pass;
}

async function checkFiles(names: readonly string[], options: ValidateOptions): Promise<CheckedFile[]> {
  if (names.length === 0) throw new UsageError('validate needs files, directories or patterns, or --artifact-dir <dir>.');
  const declarations = readDeclarations(options);
  const { manifest } = declarations;
  const checkOptionsFor = createCheckOptions(options, declarations);
  const files = findDocuments(names);
  const unchecked = describeBrokenManifest(manifest);
  if (manifest && unchecked !== undefined)
    return [manifest, ...files.map((file): CheckedFile => ({ file, text: '', findings: [], unchecked }))];
  const production = options.production === true;
  const level = parseLevel(options.level);
  const checked: CheckedFile[] = [];
  for (const file of files) checked.push({ file, ...checkFile(file, { ...(await checkOptionsFor(file)), production, level }) });
  return manifest && manifest.findings.length > 0 ? [manifest, ...checked] : checked;
}

function parseLevel(level: unknown): Strictness {
  if (level === undefined) return 'compat';
  if (level === 'compat' || level === 'strict') return level;
  throw new UsageError(`--level must be compat or strict, but it is ${JSON.stringify(level)}.`);
}

const packageFiles = ['artifact-manifest.json', 'summary.json', 'trace.json', 'recipe.json'];

// Lists the fixed files of a package, and every other file that has a finding.
function checkDirectory(
  names: readonly string[],
  { artifactDir, production, actionManifest, library, projectRoot, setup }: ValidateOptions,
): CheckedFile[] {
  if (names.length > 0) throw new UsageError('validate takes either files or --artifact-dir <dir>, not both.');
  if (production || [actionManifest, library, projectRoot, setup].some((option) => option !== undefined))
    throw new UsageError(
      '--production, --setup, --action-manifest, --library and --project-root apply to recipes, not to --artifact-dir. Remove them.',
    );
  if (typeof artifactDir !== 'string' || artifactDir === '') throw new UsageError('--artifact-dir needs one directory.');
  const dir = resolve(artifactDir);
  const findings = checkPackage(dir);
  const findingFiles = findings.map(({ place }) => place.file);
  const files = findingFiles.includes(dir) ? findingFiles : [...packageFiles.map((name) => join(dir, name)), ...findingFiles];
  return [...new Set(files)].map((file) => ({
    file,
    text: file === dir ? '' : (readBytesIfThere(file)?.toString() ?? ''),
    findings: findings.filter(({ place }) => place.file === file),
  }));
}

const documentPatterns = [
  '*.recipe.json',
  '*.flows.json',
  '*.template.json',
  '*.template.md',
  '*.runtime.json',
  '*.flowspec.json',
];
const requireModule = createRequire(import.meta.url);

/**
 * Returns the absolute paths of files, of the documents in directories and of glob matches, each once, in the order of `names`.
 * Includes missing files, because the check reports them as findings.
 */
function findDocuments(names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => expandName(String(name))))];
}

function expandName(name: string): string[] {
  const path = resolve(name);
  const kind = readPathKind(path);
  if (kind === 'directory')
    return requireFiles(
      findFiles(
        path,
        documentPatterns.map((ending) => `**/${ending}`),
        requireModule,
      ),
      `The directory ${name} contains`,
    );
  if (kind !== undefined || !/[*?{}[\]!]/.test(name)) return [path];
  return requireFiles(findFiles(process.cwd(), [name], requireModule), `The pattern ${JSON.stringify(name)} matches`);
}

/** `clause`: the beginning of the sentence, such as "The directory recipes contains". */
function requireFiles(files: string[], clause: string): string[] {
  if (files.length === 0) throw new UsageError(`${clause} no document. Documents are named ${documentPatterns.join(' or ')}.`);
  return files;
}
