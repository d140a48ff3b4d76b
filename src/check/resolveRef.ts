// Where a catalog named in `uses` is read from: the project, an installed package, or an alias. Nothing else, and no URL.
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve as resolvePath } from 'node:path';
import type { Document, ReadLimits } from '../document/readDocument.js';
import { joinLibraries, type Library, taskLocal } from '../formats/modern/library.js';
import { chooseManifest, manifestPrefix } from '../formats/runtime/chooseManifest.js';
import { rootPrefix } from '../formats/template/recipeImports.js';
import type { Resolve } from '../recipe/recipe.js';
import { filesBelow, findFiles, insideOf, isFile, reallyInside } from '../system/files.js';
import { readFile } from './readFile.js';
import { inTemplateRoots, type Located, type TemplateRoots } from './templateRoots.js';

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

export function resolverFor(options: ResolveOptions): Resolve {
  const byFile = new Map<string, Library>();
  let manifests: Document[] | undefined;
  return (ref, from) => {
    if (ref.startsWith(manifestPrefix)) {
      manifests ??= manifestsIn(options);
      return chooseManifest(ref.slice(manifestPrefix.length), manifests);
    }
    if (ref.startsWith(rootPrefix)) return read(inTemplateRoots(ref.slice(rootPrefix.length), from, options.templates), options);
    const isId = /^[\w-]+(\.[\w-]+)*$/.test(ref) && !ref.endsWith('.json');
    const found =
      isId && !options.aliases?.has(ref)
        ? inLibraries(ref, libraryFor(from, options, byFile))
        : locate(options.aliases?.get(ref) ?? ref, from, options.projectRoot);
    return read(found, options);
  };
}

function read(found: Located, { limits }: ResolveOptions): ReturnType<Resolve> {
  if ('problem' in found) return found;
  const { document, findings } = readFile(found.file, limits);
  return document ? { document } : { problem: findings[0]?.message ?? 'it is empty.', file: found.file };
}

/** All runtime recipes of the project: a recipe node names one by its id, not by its file. */
function manifestsIn({ projectRoot, limits }: ResolveOptions): Document[] {
  const files = findFiles(projectRoot, ['**/*.runtime.json'], createRequire(import.meta.url));
  return files.flatMap((file) => readFile(file, limits).document ?? []);
}

function inLibraries(id: string, { recipes, findings }: Library): Located {
  const found = recipes.get(id);
  if (found) return { file: found.file };
  return {
    problem:
      findings[0]?.message ??
      `no recipe library has it; there ${recipes.size === 0 ? 'are none' : `is ${[...recipes.keys()].join(', ')}`}.`,
  };
}

function libraryFor(from: string, { libraries = new Map() }: ResolveOptions, known: Map<string, Library>): Library {
  const beside = join(dirname(from), taskLocal.folder);
  const before = known.get(beside);
  if (before) return before;
  // A recipe of a library calls its neighbours without naming the library.
  const own = /^(.*)[\\/]recipes[\\/]/.exec(from)?.[1];
  const roots = [[taskLocal.name, beside] as const, ...libraries, ...(own === undefined ? [] : [['own', own] as const])];
  const sources = roots.map(([name, root]) => ({
    name,
    root,
    files: filesBelow(join(root, 'recipes')).map((file) => join('recipes', file)),
  }));
  const joined = joinLibraries(sources);
  known.set(beside, joined);
  return joined;
}

function locate(ref: string, from: string, projectRoot: string): Located {
  if (/^[a-z][a-z+.-]*:/i.test(ref)) return { problem: 'it is a URL. Name a file of the project or an installed package.' };
  const inProject = [resolvePath(dirname(from), ref), resolvePath(projectRoot, ref)].filter(
    (file) => !isAbsolute(ref) && insideOf(projectRoot, relative(projectRoot, file)) !== undefined,
  );
  const file = inProject.find(isFile);
  if (file !== undefined) {
    return reallyInside(projectRoot, file) ? { file } : { problem: 'it is a link that leads out of the project.' };
  }
  if (ref.startsWith('/') || ref.startsWith('\\') || /(^|[\\/])\.\.([\\/]|$)/.test(ref)) {
    const outside = inProject.length === 0;
    return {
      problem: outside
        ? `it lies outside of the project ${projectRoot}. Name the root with --project-root if it is another one.`
        : 'there is no such file in the project.',
    };
  }
  return inPackage(ref, projectRoot) ?? { problem: 'there is no such file in the project and no such installed package.' };
}

/** `@scope/name/path` or `name/path`, as Node finds it from the project; the file must lie in that package. */
function inPackage(ref: string, projectRoot: string): Located | undefined {
  const name = /^(@[^/]+\/[^/]+|[^@./][^/]*)\/(?<path>.+)$/.exec(ref);
  if (!name?.[1] || !name.groups?.path) return undefined;
  for (const folder of createRequire(join(projectRoot, 'package.json')).resolve.paths(name[1]) ?? []) {
    const root = join(folder, name[1]);
    const file = join(root, name.groups.path);
    if (!isFile(file)) continue;
    return reallyInside(root, file) ? { file } : { problem: 'it leads out of the package it names.' };
  }
  return undefined;
}
