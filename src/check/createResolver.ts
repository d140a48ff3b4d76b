// Finds the documents that other documents name: in the project, in an installed package, by an alias, in a recipe library, or in a
// root of template recipes. URLs are refused.

import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Document, ReadLimits } from '../document/readDocument.js';
import { joinLibraries, type Library, taskLocalLibrary } from '../formats/modern/library.js';
import { chooseManifest, manifestPrefix } from '../formats/runtime/chooseManifest.js';
import type { TemplateRoots as TemplateLoaderRoots } from '../formats/template/files/loadTemplateRecipe.js';
import { templateRootPrefix } from '../formats/template/recipeImports.js';
import type { ResolveDocument } from '../recipe/recipe.js';
import { findFiles, isFile, isRealPathInside, listFilesBelow, resolveInside } from '../system/files/files.js';
import { readDocumentFile } from './readDocumentFile.js';

export type ResolveOptions = {
  projectRoot: string;
  /** Short names for paths in the project or in a package. */
  aliases?: ReadonlyMap<string, string>;
  /** Recipe libraries of the modern dialect: directories by name. The library next to a recipe comes before them. */
  libraries?: ReadonlyMap<string, string>;
  limits?: Partial<ReadLimits>;
  /** Directories outside the project from which template recipes may import. */
  templates?: TemplateRoots | undefined;
};

export function createResolver(options: ResolveOptions): ResolveDocument {
  const libraries = new Map<string, Library>();
  let manifests: Document[] | undefined;
  return (ref, from) => {
    if (ref.startsWith(manifestPrefix)) {
      manifests ??= manifestsIn(options);
      return chooseManifest(ref.slice(manifestPrefix.length), manifests);
    }
    if (ref.startsWith(templateRootPrefix)) {
      return readLocated(findInTemplateRoots(ref.slice(templateRootPrefix.length), from, options.templates), options);
    }
    const isId = /^[\w-]+(\.[\w-]+)*$/.test(ref) && !ref.endsWith('.json');
    if (isId && !options.aliases?.has(ref)) {
      return readLocated(findInLibraries(ref, libraryFor(from, options, libraries)), options);
    }
    return readLocated(locate(options.aliases?.get(ref) ?? ref, from, options.projectRoot), options);
  };
}

type LocateResult = { file: string } | { problem: string };

function readLocated(location: LocateResult, { limits }: ResolveOptions): ReturnType<ResolveDocument> {
  if ('problem' in location) return location;
  const { document, findings } = readDocumentFile(location.file, limits);
  return document ? { document } : { problem: findings[0]?.message ?? 'it is empty.', file: location.file };
}

/** Reads all runtime recipes of the project, because a recipe node names another recipe by its id and not by its file. */
function manifestsIn({ projectRoot, limits }: ResolveOptions): Document[] {
  const files = findFiles(projectRoot, ['**/*.runtime.json'], createRequire(import.meta.url));
  return files.flatMap((file) => readDocumentFile(file, limits).document ?? []);
}

function findInLibraries(id: string, { recipes, findings }: Library): LocateResult {
  const recipe = recipes.get(id);
  if (recipe) return { file: recipe.file };
  if (findings[0]) return { problem: findings[0].message };
  const available = recipes.size === 0 ? 'the libraries are empty' : `they have ${[...recipes.keys()].join(', ')}`;
  return { problem: `no recipe library has it; ${available}.` };
}

function libraryFor(from: string, { libraries = new Map() }: ResolveOptions, cache: Map<string, Library>): Library {
  const localRoot = join(dirname(from), taskLocalLibrary.folder);
  const cached = cache.get(localRoot);
  if (cached) return cached;
  const roots: (readonly [name: string, root: string])[] = [[taskLocalLibrary.name, localRoot], ...libraries];
  // A recipe of a library calls the recipes next to it without naming the library.
  const ownRoot = /^(.*)[\\/]recipes[\\/]/.exec(from)?.[1];
  if (ownRoot !== undefined) roots.push(['own', ownRoot]);
  const sources = roots.map(([name, root]) => ({
    name,
    root,
    files: listFilesBelow(join(root, 'recipes')).map((file) => join('recipes', file)),
  }));
  const library = joinLibraries(sources);
  cache.set(localRoot, library);
  return library;
}

function locate(ref: string, from: string, projectRoot: string): LocateResult {
  if (/^[a-z][a-z+.-]*:/i.test(ref)) return { problem: 'it is a URL. Name a file of the project or of an installed package.' };
  const inProject = [resolve(dirname(from), ref), resolve(projectRoot, ref)].filter(
    (file) => !isAbsolute(ref) && resolveInside(projectRoot, relative(projectRoot, file)) !== undefined,
  );
  const file = inProject.find(isFile);
  if (file !== undefined) {
    return isRealPathInside(projectRoot, file) ? { file } : { problem: 'it is a link to a file outside the project.' };
  }
  if (ref.startsWith('/') || ref.startsWith('\\') || /(^|[\\/])\.\.([\\/]|$)/.test(ref)) {
    const isOutside = inProject.length === 0;
    return {
      problem: isOutside
        ? `it is outside the project ${projectRoot}. If the project has another root, pass it with --project-root.`
        : 'there is no such file in the project.',
    };
  }
  return findInPackage(ref, projectRoot) ?? { problem: 'there is no such file in the project and no such installed package.' };
}

/** Finds `@scope/name/path` or `name/path` as Node would from the project. The file must be inside that package. */
function findInPackage(ref: string, projectRoot: string): LocateResult | undefined {
  const name = /^(@[^/]+\/[^/]+|[^@./][^/]*)\/(?<path>.+)$/.exec(ref);
  if (!name?.[1] || !name.groups?.path) return undefined;
  for (const folder of createRequire(join(projectRoot, 'package.json')).resolve.paths(name[1]) ?? []) {
    const root = join(folder, name[1]);
    const file = join(root, name.groups.path);
    if (!isFile(file)) continue;
    return isRealPathInside(root, file) ? { file } : { problem: 'it is a link to a file outside the package.' };
  }
  return undefined;
}

/** The directories outside a project from which its config allows template recipes to import. No path may leave such a directory. */
type TemplateRoots = Omit<TemplateLoaderRoots, 'cwd' | 'compat'>;

/** `ref` is a kind of root and a path in it, as in `user/review.json`. The kind `beside` is the directory of the importing recipe. */
function findInTemplateRoots(ref: string, from: string, roots: TemplateRoots = {}): LocateResult {
  const [kind = '', ...rest] = ref.split('/');
  const path = rest.join('/');
  const dirs = kind === 'beside' ? rootsContaining(from, roots) : (rootsByKind(roots)[kind] ?? []);
  for (const dir of dirs) {
    const relativePath = kind === 'beside' ? relative(dir, resolve(dirname(from), path)) : pathInRoot(kind, path);
    const file = resolveInside(dir, relativePath);
    if (file === undefined || !isFile(file)) continue;
    return isRealPathInside(dir, file) ? { file } : { problem: `it is a link to a file outside ${dir}.` };
  }
  return { problem: 'there is no such file.' };
}

function rootsByKind({
  userRoot,
  packagedRoot,
  searchPath,
  skillRoots,
  agentDir,
}: TemplateRoots): Record<string, readonly string[]> {
  const list = (dir: string | undefined): string[] => (dir === undefined ? [] : [dir]);
  return {
    user: list(userRoot),
    packaged: list(packagedRoot),
    agent: list(agentDir),
    search: searchPath ?? [],
    skill: skillRoots ?? [],
  };
}

/** `skill/<skill>/<recipe>` names a recipe that comes with a skill. */
function pathInRoot(kind: string, path: string): string {
  if (kind !== 'skill') return path;
  const [skill = '', recipe = ''] = path.split('/');
  return join(skill, 'recipes', recipe);
}

function rootsContaining(from: string, roots: TemplateRoots): string[] {
  const all = Object.values(rootsByKind(roots)).flat();
  return all.filter((dir) => resolveInside(dir, relative(dir, from)) !== undefined);
}
