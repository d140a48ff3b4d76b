// The files of template recipes: found by name, read within their limit, and parsed once for as long as they do not change.
import { type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readBounded } from '../../../system/files/readBounded.js';
import { parseRecipeText } from '../parseRecipeText.js';
import type { Library, RecipeSource } from '../recipeImports.js';
import { TemplateError } from '../templateError.js';

export type TemplateRoots = {
  /** Recipes of the user, which come before all others of their name. */
  userRoot?: string | undefined;
  /** Recipes that come with a package, after all others. */
  packagedRoot?: string | undefined;
  /** More places for bare names, in order, between the importing file's own directory and the packaged ones. */
  searchPath?: readonly string[] | undefined;
  /** Directories that hold skills, each with its `recipes`. */
  skillRoots?: readonly string[] | undefined;
  /** What `{agent}` stands for. */
  agentDir?: string | undefined;
  cwd?: string | undefined;
  compat?: boolean | undefined;
};

const longestRecipe = 1_048_576;
const endings = ['.json', '.md'];

type Parsed = { stamp: string; source: RecipeSource };
const parsed = new Map<string, Parsed>();

/** What the file holds, or why it is no recipe; undefined when there is no such file. */
export function readTemplateFile(file: string, { compat = false }: Pick<TemplateRoots, 'compat'> = {}): RecipeSource | undefined {
  const stamp = stampOf(file);
  if (stamp === undefined) return undefined;
  const key = `${compat ? 'compat' : 'strict'}:${file}`;
  const before = parsed.get(key);
  if (before?.stamp === stamp) return before.source;
  const read = readBounded(file, longestRecipe);
  if ('size' in read) {
    throw new TemplateError('template.too_large', `Recipe file exceeds size limit ${longestRecipe} bytes: ${file}`);
  }
  if (!('bytes' in read)) return undefined;
  const source = { file, name: recipeName(file), ...parseRecipeText(file, read.bytes, { compat }) };
  parsed.set(key, { stamp, source });
  return source;
}

/** Identity is the name of the file. */
export function recipeName(file: string): string {
  return basename(file).replace(/(\.template)?\.(json|md)$/i, '');
}

/** Changes whenever the file does; the number of the file tells one that was moved into its place. */
function stampOf(file: string): string | undefined {
  const found = look(file);
  return found?.isFile() ? `${found.mtimeMs}:${found.size}:${found.ino}` : undefined;
}

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // EACCES, ELOOP, ENAMETOOLONG, or ERR_INVALID_ARG_VALUE for a null byte: nothing that could be read.
    return undefined;
  }
}

export function templateLibrary(roots: TemplateRoots): Library {
  // Most places for bare names are not there at all, and are asked for by every import.
  const places = new Map<string, boolean>();
  const isPlace = (dir: string): boolean => {
    const before = places.get(dir);
    if (before !== undefined) return before;
    const isThere = look(dir)?.isDirectory() === true;
    places.set(dir, isThere);
    return isThere;
  };
  return (from, importer) => {
    for (const path of candidates(from.trim(), importer, roots)) {
      const source = isPlace(dirname(path)) ? readTemplateFile(path, roots) : undefined;
      if (source) return source;
    }
    return undefined;
  };
}

function candidates(from: string, importer: string, roots: TemplateRoots): string[] {
  const { cwd = process.cwd(), agentDir = defaultAgentDir(), compat = false } = roots;
  const isBare = !from.includes('/') && !from.startsWith('~') && !from.includes('{');
  if (isBare) return bareDirectories(importer, roots).flatMap((dir) => withEndings(join(dir, from)));
  const repo = dirname(dirname(importer));
  const path = from
    .replaceAll('{repo}', repo)
    .replaceAll('{agent}', agentDir)
    .replace(/^~(?=\/|$)/, homedir());
  // The reference takes the directory it was started in, whatever file it reads.
  const found = withEndings(resolve(compat ? cwd : dirname(importer), path));
  return compat ? found : [...found, ...ofSkill(from, roots)];
}

function bareDirectories(importer: string, roots: TemplateRoots): string[] {
  const { agentDir = defaultAgentDir(), userRoot = join(agentDir, 'recipes'), packagedRoot, searchPath = [] } = roots;
  return [userRoot, dirname(importer), ...searchPath, ...(packagedRoot === undefined ? [] : [packagedRoot])];
}

function withEndings(path: string): string[] {
  return endings.includes(extname(path)) ? [path] : endings.map((ending) => path + ending);
}

/** `<skill>/<recipe>`, the later way to name a recipe that comes with a skill. */
function ofSkill(from: string, { skillRoots = [] }: TemplateRoots): string[] {
  const [, skill, recipe] = /^([\w.-]+)\/([\w.-]+)$/.exec(from) ?? [];
  if (skill === undefined || recipe === undefined) return [];
  return skillRoots.flatMap((root) => withEndings(join(root, skill, 'recipes', recipe)));
}

export function defaultAgentDir(): string {
  return process.env.PI_CODING_AGENT_DIR ?? join(homedir(), '.pi', 'agent');
}
