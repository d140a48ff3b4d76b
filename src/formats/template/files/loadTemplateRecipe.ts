// Finds the files of template recipes by name, reads them within their size limit, and parses each once until it changes.
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
  /** The user's recipes, which come before all others of their name. */
  userRoot?: string | undefined;
  /** The recipes of a package, which come after all others. */
  packagedRoot?: string | undefined;
  /** More directories for bare names, in order, after the directory of the importing file and before the packaged one. */
  searchPath?: readonly string[] | undefined;
  /** Directories of skills, each with a directory `recipes`. */
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

/** The content of the file, or why it is not a recipe; undefined when there is no such file. */
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

/** The name of the file is the identity of a recipe. */
export function toRecipeName(file: string): string {
  return basename(file).replace(/(\.template)?\.(json|md)$/i, '');
}

/** Changes whenever the file does. The inode number detects a file that was moved into its place. */
function readStamp(file: string): string | undefined {
  const found = statIfThere(file);
  return found?.isFile() ? `${found.mtimeMs}:${found.size}:${found.ino}` : undefined;
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
  // Every import asks for bare names in all places, most of which do not exist.
  const knownDirs = new Map<string, boolean>();
  const isDirectory = (dir: string): boolean => {
    const before = knownDirs.get(dir);
    if (before !== undefined) return before;
    const isThere = statIfThere(dir)?.isDirectory() === true;
    knownDirs.set(dir, isThere);
    return isThere;
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
  // The reference uses its working directory, whatever file it reads.
  const found = addEndings(resolve(compat ? cwd : dirname(importer), path));
  return compat ? found : [...found, ...listSkillPaths(from, roots)];
}

function listSearchDirs(importer: string, roots: TemplateRoots): string[] {
  const { agentDir = getDefaultAgentDir(), userRoot = join(agentDir, 'recipes'), packagedRoot, searchPath = [] } = roots;
  return [userRoot, dirname(importer), ...searchPath, ...(packagedRoot === undefined ? [] : [packagedRoot])];
}

function addEndings(path: string): string[] {
  return recipeEndings.includes(extname(path)) ? [path] : recipeEndings.map((ending) => path + ending);
}

/** `<skill>/<recipe>`, which later releases of the reference use for a recipe of a skill. */
function listSkillPaths(from: string, { skillRoots = [] }: TemplateRoots): string[] {
  const [, skill, recipe] = /^([\w.-]+)\/([\w.-]+)$/.exec(from) ?? [];
  if (skill === undefined || recipe === undefined) return [];
  return skillRoots.flatMap((root) => addEndings(join(root, skill, 'recipes', recipe)));
}

function getDefaultAgentDir(): string {
  return process.env.PI_CODING_AGENT_DIR ?? join(homedir(), '.pi', 'agent');
}

// Loads a template recipe from its file, with everything it imports.

export type LoadTemplateOptions = TemplateRoots;

export type LoadedTemplate = {
  file: string;
  /** Missing when the file is not a recipe. */
  recipe?: TemplateRecipe;
  /** Why the file is not a recipe, when the parser says so. */
  diagnosis?: string;
  /** The problems with their positions, and warnings. Empty in compat. */
  findings: readonly Finding[];
};

/** Throws when an import cannot be resolved, in the words of the reference. */
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
