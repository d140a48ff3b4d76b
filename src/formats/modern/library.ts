// Finds the recipes of libraries by their ids. A library is a folder with recipes/[core|extension|mobile|shared]/…/*.recipe.json,
// and the id of a recipe is its path with dots.
import type { Finding } from '../../document/finding.js';

/** `files` are paths relative to `root`. */
type LibrarySource = { name: string; root: string; files: readonly string[] };

type LibraryRecipe = { id: string; source: string; file: string };

export type Library = {
  recipes: ReadonlyMap<string, LibraryRecipe>;
  /** Recipes that are not used, because an earlier library has the same id. */
  shadowed: { id: string; source: string; by: string }[];
  findings: Finding[];
};

const platforms: readonly string[] = ['core', 'extension', 'mobile'];
const recipeEnding = '.recipe.json';

/** The library in the folder `recipe-library/` beside a recipe. It comes before all others. */
export const taskLocalLibrary = { name: 'task-local', folder: 'recipe-library' };

/** Parses `name=path`, or a path whose last folder is the name. */
export function parseLibrary(text: string): { name: string; root: string } | undefined {
  const [before, after] = splitOnce(text, '=');
  const root = (after ?? before).trim();
  const name = after === undefined ? root.split(/[\\/]/).filter(Boolean).at(-1) : before.trim();
  return name && root ? { name, root } : undefined;
}

/** Collects the recipes of all libraries. When several have the same id, the first one wins. */
export function joinLibraries(sources: readonly LibrarySource[], platform?: string): Library {
  const recipes = new Map<string, LibraryRecipe>();
  const shadowed: Library['shadowed'] = [];
  const findings: Finding[] = [];
  for (const source of sources) {
    const listed = listLibraryIds(source, platform);
    findings.push(...listed.findings);
    for (const [id, file] of listed.ids) {
      const winner = recipes.get(id);
      if (winner) shadowed.push({ id, source: source.name, by: winner.source });
      else recipes.set(id, { id, source: source.name, file: `${source.root}/${file}` });
    }
  }
  return { recipes, shadowed, findings };
}

/**
 * Lists the files of a library by recipe id. With a platform, its own recipe wins over the shared one; other platforms are
 * ignored.
 */
export function listLibraryIds(source: LibrarySource, platform?: string): { ids: Map<string, string>; findings: Finding[] } {
  const recipes = new Map<string, { file: string; variant: string | undefined }>();
  const findings: Finding[] = [];
  for (const file of [...source.files].map((path) => path.replaceAll('\\', '/')).sort()) {
    const identity = identifyRecipe(file);
    if (!identity || (platform !== undefined && identity.variant !== undefined && identity.variant !== platform)) continue;
    const { id, variant } = identity;
    const other = recipes.get(id);
    const isTie = other && (platform === undefined || other.variant === variant);
    if (isTie) findings.push(createDuplicateFinding(source, { id, file, other: other.file }));
    else if (!other || variant !== undefined) recipes.set(id, { file, variant });
  }
  return { ids: new Map([...recipes].map(([id, { file }]) => [id, file])), findings };
}

function splitOnce(text: string, separator: string): [before: string, after?: string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + separator.length)];
}

function identifyRecipe(file: string): { id: string; variant: string | undefined } | undefined {
  if (!file.startsWith('recipes/') || !file.endsWith(recipeEnding)) return undefined;
  const [first = '', ...rest] = file.slice('recipes/'.length, -recipeEnding.length).split('/');
  const variant = rest.length > 0 && platforms.includes(first) ? first : undefined;
  const idParts = rest.length > 0 && (variant !== undefined || first === 'shared') ? rest : [first, ...rest];
  const id = idParts.join('.');
  // A hidden file gives an id with an empty part, which no recipe could call.
  return id.split('.').includes('') ? undefined : { id, variant };
}

function createDuplicateFinding(
  source: LibrarySource,
  { id, file, other }: { id: string; file: string; other: string },
): Finding {
  return {
    code: 'recipe.duplicate_library_id',
    severity: 'error',
    path: '',
    place: { file: `${source.root}/${file}`, line: 1, column: 1 },
    message: `The library ${JSON.stringify(source.name)} has the recipe ${JSON.stringify(id)} twice: ${other} and ${file}.`,
    hint: 'Rename one of them, or set the platform of the recipes.',
  };
}
