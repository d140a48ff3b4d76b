// Where a catalog named in `uses` is read from: the project, an installed package, or an alias. Nothing else, and no URL.
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, resolve as resolvePath } from 'node:path';
import type { Document, ReadLimits } from '../document/readDocument.js';
import { joinLibraries, type Library, taskLocalLibrary } from '../formats/modern/library.js';
import { chooseManifest, manifestPrefix } from '../formats/runtime/chooseManifest.js';
import type { TemplateRoots as LoaderRoots } from '../formats/template/files/loadTemplateRecipe.js';
import { templateRootPrefix } from '../formats/template/recipeImports.js';
import type { ResolveDocument } from '../recipe/recipe.js';
import { findFiles, isFile, isRealPathInside, listFilesBelow, resolveInside } from '../system/files/files.js';
import { readDocumentFile } from './readDocumentFile.js';

export type ResolveOptions = {
  projectRoot: string;
  /** Names that stand for a path in the project or a package. */
  aliases?: ReadonlyMap<string, string>;
  /** Recipe libraries of the modern dialect, as directories by name; the one beside a recipe comes before them. */
  libraries?: ReadonlyMap<string, string>;
  limits?: Partial<ReadLimits>;
  /** Where template recipes may import from besides the project. */
  templates?: TemplateRoots | undefined;
};

export function createResolver(options: ResolveOptions): ResolveDocument {
  const byFile = new Map<string, Library>();
  let manifests: Document[] | undefined;
  return (ref, from) => {
    if (ref.startsWith(manifestPrefix)) {
      manifests ??= manifestsIn(options);
      return chooseManifest(ref.slice(manifestPrefix.length), manifests);
    }
    if (ref.startsWith(templateRootPrefix))
      return readLocated(findInTemplateRoots(ref.slice(templateRootPrefix.length), from, options.templates), options);
    const isId = /^[\w-]+(\.[\w-]+)*$/.test(ref) && !ref.endsWith('.json');
    const found =
      isId && !options.aliases?.has(ref)
        ? findInLibraries(ref, libraryFor(from, options, byFile))
        : locate(options.aliases?.get(ref) ?? ref, from, options.projectRoot);
    return readLocated(found, options);
  };
}

function readLocated(found: LocateResult, { limits }: ResolveOptions): ReturnType<ResolveDocument> {
  if ('problem' in found) return found;
  const { document, findings } = readDocumentFile(found.file, limits);
  return document ? { document } : { problem: findings[0]?.message ?? 'it is empty.', file: found.file };
}

/** All runtime recipes of the project: a recipe node names one by its id, not by its file. */
function manifestsIn({ projectRoot, limits }: ResolveOptions): Document[] {
  const files = findFiles(projectRoot, ['**/*.runtime.json'], createRequire(import.meta.url));
  return files.flatMap((file) => readDocumentFile(file, limits).document ?? []);
}

function findInLibraries(id: string, { recipes, findings }: Library): LocateResult {
  const found = recipes.get(id);
  if (found) return { file: found.file };
  return {
    problem:
      findings[0]?.message ??
      `no recipe library has it; there ${recipes.size === 0 ? 'are none' : `is ${[...recipes.keys()].join(', ')}`}.`,
  };
}

function libraryFor(from: string, { libraries = new Map() }: ResolveOptions, known: Map<string, Library>): Library {
  const beside = join(dirname(from), taskLocalLibrary.folder);
  const before = known.get(beside);
  if (before) return before;
  // A recipe of a library calls its neighbours without naming the library.
  const own = /^(.*)[\\/]recipes[\\/]/.exec(from)?.[1];
  const roots = [[taskLocalLibrary.name, beside] as const, ...libraries, ...(own === undefined ? [] : [['own', own] as const])];
  const sources = roots.map(([name, root]) => ({
    name,
    root,
    files: listFilesBelow(join(root, 'recipes')).map((file) => join('recipes', file)),
  }));
  const joined = joinLibraries(sources);
  known.set(beside, joined);
  return joined;
}

function locate(ref: string, from: string, projectRoot: string): LocateResult {
  if (/^[a-z][a-z+.-]*:/i.test(ref)) return { problem: 'it is a URL. Name a file of the project or an installed package.' };
  const inProject = [resolvePath(dirname(from), ref), resolvePath(projectRoot, ref)].filter(
    (file) => !isAbsolute(ref) && resolveInside(projectRoot, relative(projectRoot, file)) !== undefined,
  );
  const file = inProject.find(isFile);
  if (file !== undefined) {
    return isRealPathInside(projectRoot, file) ? { file } : { problem: 'it is a link that leads out of the project.' };
  }
  if (ref.startsWith('/') || ref.startsWith('\\') || /(^|[\\/])\.\.([\\/]|$)/.test(ref)) {
    const outside = inProject.length === 0;
    return {
      problem: outside
        ? `it lies outside of the project ${projectRoot}. Name the root with --project-root if it is another one.`
        : 'there is no such file in the project.',
    };
  }
  return findInPackage(ref, projectRoot) ?? { problem: 'there is no such file in the project and no such installed package.' };
}

/** `@scope/name/path` or `name/path`, as Node finds it from the project; the file must lie in that package. */
function findInPackage(ref: string, projectRoot: string): LocateResult | undefined {
  const name = /^(@[^/]+\/[^/]+|[^@./][^/]*)\/(?<path>.+)$/.exec(ref);
  if (!name?.[1] || !name.groups?.path) return undefined;
  for (const folder of createRequire(join(projectRoot, 'package.json')).resolve.paths(name[1]) ?? []) {
    const root = join(folder, name[1]);
    const file = join(root, name.groups.path);
    if (!isFile(file)) continue;
    return isRealPathInside(root, file) ? { file } : { problem: 'it leads out of the package it names.' };
  }
  return undefined;
}

// The places outside of a project that its config opens for imports of template recipes. Each is a fence: no path leads out of it.

/** Of what the loader of template recipes knows, the places that a config may name. */
export type TemplateRoots = Omit<LoaderRoots, 'cwd' | 'compat'>;

export type LocateResult = { file: string } | { problem: string };

/** `ref`: the kind of place and a path in it, as in `user/review.json`; `beside` is where the importing recipe lies. */
export function findInTemplateRoots(ref: string, from: string, roots: TemplateRoots = {}): LocateResult {
  const [place = '', ...rest] = ref.split('/');
  const path = rest.join('/');
  const dirs = place === 'beside' ? rootsContaining(from, roots) : (placesOf(roots)[place] ?? []);
  for (const dir of dirs) {
    const relativePath = place === 'beside' ? relative(dir, resolve(dirname(from), path)) : fileOf(place, path);
    const file = resolveInside(dir, relativePath);
    if (file === undefined || !isFile(file)) continue;
    return isRealPathInside(dir, file) ? { file } : { problem: `it is a link that leads out of ${dir}.` };
  }
  return { problem: 'there is no such file.' };
}

function placesOf({
  userRoot,
  packagedRoot,
  searchPath,
  skillRoots,
  agentDir,
}: TemplateRoots): Record<string, readonly string[]> {
  const one = (dir: string | undefined): string[] => (dir === undefined ? [] : [dir]);
  return {
    ...{ user: one(userRoot), packaged: one(packagedRoot), agent: one(agentDir) },
    ...{ search: searchPath ?? [], skill: skillRoots ?? [] },
  };
}

/** `<skill>/<recipe>` is a recipe that comes with a skill. */
function fileOf(place: string, path: string): string {
  if (place !== 'skill') return path;
  const [skill = '', recipe = ''] = path.split('/');
  return join(skill, 'recipes', recipe);
}

function rootsContaining(from: string, roots: TemplateRoots): string[] {
  const all = Object.values(placesOf(roots)).flat();
  return all.filter((dir) => resolveInside(dir, relative(dir, from)) !== undefined);
}
