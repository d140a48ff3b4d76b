// Which recipe a name stands for, when several files have it: the first in order of priority, even when it is broken or switched off.
import type { TemplateRecipe } from './templateRecipe.js';

export type Layer = 'user' | 'adhoc' | 'packaged';

/** A file as it was found, in order of priority; JSON before Markdown within one place. */
export type Candidate = {
  name: string;
  file: string;
  layer: Layer;
  recipe?: TemplateRecipe | undefined;
  problem?: string;
  thrown?: string;
};

export type Discovered = Candidate & {
  status: 'active' | 'invalid' | 'disabled';
  /** Only what the user put into the user's own place is a tool. */
  isTool: boolean;
  /** Files of the same name that it hides. */
  shadows: readonly string[];
};

export type Discovery = { recipes: ReadonlyMap<string, Discovered>; diagnostics: readonly string[] };

export function discoverRecipes(candidates: readonly Candidate[]): Discovery {
  const byName = new Map<string, Candidate[]>();
  for (const one of candidates) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  const recipes = new Map<string, Discovered>();
  const diagnostics: string[] = [];
  for (const [name, [first, ...others]] of byName) {
    if (!first) continue;
    const found = toDiscovered(first, others);
    recipes.set(name, found);
    diagnostics.push(...diagnose(found, others));
  }
  return { recipes, diagnostics };
}

function toDiscovered(first: Candidate, others: readonly Candidate[]): Discovered {
  const status = !first.recipe ? 'invalid' : first.recipe.disabled === true ? 'disabled' : 'active';
  const shadows = others.map(({ file }) => file);
  return { ...first, status, isTool: first.layer === 'user' && status === 'active', shadows };
}

function diagnose({ name, file, layer, status, problem, thrown }: Discovered, others: readonly Candidate[]): string[] {
  const lower = others.filter((other) => other.layer !== layer);
  const said: string[] = [];
  if (thrown !== undefined) said.push(`Failed to load recipe ${file}: ${thrown}`);
  else if (status === 'invalid') said.push(`Invalid recipe: ${file}: ${problem ?? 'recipe must define template'}`);
  for (const other of others) {
    if (other.layer === layer && /\.md$/i.test(other.file))
      said.push(`Markdown recipe ${other.file} is shadowed by JSON recipe ${file}`);
  }
  if (lower.length === 0) return said;
  if (status === 'active') return [...said, `Recipe ${name} shadows ${lower.length} lower-priority recipe(s)`];
  return [...said, `Recipe ${name} is ${status} and blocks lower-priority recipes`];
}

/** The file to launch by a bare name, or why none is: a broken one is never passed over for another of its name. */
export function launchable(name: string, { recipes }: Discovery): { file: string } | { refused: string } {
  const found = recipes.get(name);
  if (!found)
    return { refused: `There is no recipe ${JSON.stringify(name)}. Known: ${[...recipes.keys()].join(', ') || 'none'}.` };
  if (found.status === 'active') return { file: found.file };
  const isOff = found.status === 'disabled';
  const message = isOff ? `Template recipe is disabled: ${found.file}` : `Template recipe must define template: ${found.file}`;
  const [blocked] = found.shadows;
  if (blocked === undefined) return { refused: message };
  const reason = isOff ? 'shadowed_disabled' : 'shadowed_invalid';
  return {
    refused: `${message} reason=${reason} active_path=${found.file} blocked_fallback=${blocked} hint=inspect_recipes_doctor`,
  };
}
