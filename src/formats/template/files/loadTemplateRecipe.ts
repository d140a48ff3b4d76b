// Finds the files of template recipes by name, reads them up to the size limit, and parses a file again only after it changed.
import { type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Finding } from '../../../document/finding.js';
import { readBounded } from '../../../system/files/readBounded.js';
import type { TemplateRecipe } from '../model.js';
import { parseRecipeText } from '../parseRecipeText.js';
import type { RecipeLibrary, RecipeSource } from '../recipeImports.js';
import { resolveRecipe } from '../resolveRecipe.js';
import { TemplateError } from '../templateError.js';

export type TemplateRoots = {
  /** The directory of the user's recipes, which take precedence over all others of the same name. */
  userRoot?: string | undefined;
  /** The directory of the recipes of a package, which have the lowest precedence. */
  packagedRoot?: string | undefined;
  /**
   * More directories for bare names. They are searched in order, after the directory of the importing file and before
   * `packagedRoot`.
   */
  searchPath?: readonly string[] | undefined;
  /** Directories that contain skills. Each skill is a directory with a subdirectory `recipes`. */
  skillRoots?: readonly string[] | undefined;
  /** The directory that `{agent}` stands for. */
  agentDir?: string | undefined;
  cwd?: string | undefined;
  compat?: boolean | undefined;
};

const maxRecipeBytes = 1_048_576;
const recipeEndings = ['.json', '.md'];

type ParsedFile = { stamp: string; source: RecipeSource };
const parsedFiles = new Map<string, ParsedFile>();

/** Returns the parsed content, or the reason why the file is not a recipe. Undefined when the file does not exist. */
export function readTemplateFile(file: string, { compat = false }: Pick<TemplateRoots, 'compat'> = {}): RecipeSource | undefined {
  const stamp = readStamp(file);
  if (stamp === undefined) return undefined;
  const key = `${compat ? 'compat' : 'strict'}:${file}`;
  const cached = parsedFiles.get(key);
  if (cached?.stamp === stamp) return cached.source;
  const read = readBounded(file, maxRecipeBytes);
  if ('size' in read) {
    throw new TemplateError('template.too_large', `Recipe file exceeds size limit ${maxRecipeBytes} bytes: ${file}`);
  }
  if (!('bytes' in read)) return undefined;
  const source = { file, name: toRecipeName(file), ...parseRecipeText(file, read.bytes, { compat }) };
  parsedFiles.set(key, { stamp, source });
  return source;
}

/** Returns the name of a recipe, which is its file name without the ending. */
export function toRecipeName(file: string): string {
  return basename(file).replace(/(\.template)?\.(json|md)$/i, '');
}

/** Returns a string that changes whenever the file changes. The inode number detects a file that replaced it by a move. */
function readStamp(file: string): string | undefined {
  const stats = statIfThere(file);
  return stats?.isFile() ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : undefined;
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // EACCES, ELOOP, ENAMETOOLONG, or ERR_INVALID_ARG_VALUE for a null byte: the file cannot be read.
    return undefined;
  }
}

export function createFileLibrary(roots: TemplateRoots): RecipeLibrary {
  // Caches the result, because every import searches all directories and most of them do not exist.
  const knownDirs = new Map<string, boolean>();
  const isDirectory = (dir: string): boolean => {
    const cached = knownDirs.get(dir);
    if (cached !== undefined) return cached;
    const exists = statIfThere(dir)?.isDirectory() === true;
    knownDirs.set(dir, exists);
    return exists;
  };
  return (from, importer) => {
    for (const path of listCandidatePaths(from.trim(), importer, roots)) {
      const source = isDirectory(dirname(path)) ? readTemplateFile(path, roots) : undefined;
      if (source) return source;
    }
    return undefined;
  };
}

function listCandidatePaths(from: string, importer: string, roots: TemplateRoots): string[] {
  const { cwd = process.cwd(), agentDir = getDefaultAgentDir(), compat = false } = roots;
  const isBare = !from.includes('/') && !from.startsWith('~') && !from.includes('{');
  if (isBare) return listSearchDirs(importer, roots).flatMap((dir) => addEndings(join(dir, from)));
  const repo = dirname(dirname(importer));
  const path = from
    .replaceAll('{repo}', repo)
    .replaceAll('{agent}', agentDir)
    .replace(/^~(?=\/|$)/, homedir());
  // The reference implementation resolves every path from its working directory, not from the importing file.
  const paths = addEndings(resolve(compat ? cwd : dirname(importer), path));
  return compat ? paths : [...paths, ...listSkillPaths(from, roots)];
}

function listSearchDirs(importer: string, roots: TemplateRoots): string[] {
  const { agentDir = getDefaultAgentDir(), userRoot = join(agentDir, 'recipes'), packagedRoot, searchPath = [] } = roots;
  return [userRoot, dirname(importer), ...searchPath, ...(packagedRoot === undefined ? [] : [packagedRoot])];
}

function addEndings(path: string): string[] {
  return recipeEndings.includes(extname(path)) ? [path] : recipeEndings.map((ending) => path + ending);
}

/** Lists the paths of `<skill>/<recipe>`, the import of a skill's recipe in later releases of the reference implementation. */
function listSkillPaths(from: string, { skillRoots = [] }: TemplateRoots): string[] {
  const [, skill, recipe] = /^([\w.-]+)\/([\w.-]+)$/.exec(from) ?? [];
  if (skill === undefined || recipe === undefined) return [];
  return skillRoots.flatMap((root) => addEndings(join(root, skill, 'recipes', recipe)));
}

function getDefaultAgentDir(): string {
  return process.env.PI_CODING_AGENT_DIR ?? join(homedir(), '.pi', 'agent');
}

export type LoadTemplateOptions = TemplateRoots;

export type LoadedTemplate = {
  file: string;
  /** Missing when the file is not a recipe. */
  recipe?: TemplateRecipe;
  /** Why the parser rejected the file. */
  diagnosis?: string;
  /** Errors and warnings with their positions. Empty with `compat`. */
  findings: readonly Finding[];
};

/**
 * Loads a template recipe from its file, with everything it imports.
 * @throws TemplateError with the message of the reference implementation when an import cannot be resolved
 */
export function loadTemplateRecipe(file: string, options: LoadTemplateOptions = {}): LoadedTemplate {
  const { cwd = process.cwd(), compat = false } = options;
  const path = resolve(cwd, file);
  const source = readTemplateFile(path, { compat });
  if (!source) return { file: path, diagnosis: `There is no file ${path}.`, findings: [] };
  const { diagnosis, findings = [] } = source;
  const recipe = resolveRecipe(source, { library: createFileLibrary(options), compat });
  if (recipe) return { recipe, file: path, findings };
  return { file: path, findings, ...(diagnosis === undefined ? {} : { diagnosis }) };
}
