// The places outside of a project that its config opens for imports of template recipes. Each is a fence: no path leads out of it.
import { dirname, join, relative, resolve } from 'node:path';
import type { TemplateRoots as LoaderRoots } from '../formats/template/files/templateFiles.js';
import { insideOf, isFile, reallyInside } from '../system/files.js';

/** Of what the loader of template recipes knows, the places that a config may name. */
export type TemplateRoots = Omit<LoaderRoots, 'cwd' | 'compat'>;

export type Located = { file: string } | { problem: string };

/** `ref`: the kind of place and a path in it, as in `user/review.json`; `beside` is where the importing recipe lies. */
export function inTemplateRoots(ref: string, from: string, roots: TemplateRoots = {}): Located {
  const [place = '', ...rest] = ref.split('/');
  const path = rest.join('/');
  const dirs = place === 'beside' ? rootsAround(from, roots) : (placesOf(roots)[place] ?? []);
  for (const dir of dirs) {
    const named = place === 'beside' ? relative(dir, resolve(dirname(from), path)) : fileOf(place, path);
    const file = insideOf(dir, named);
    if (file === undefined || !isFile(file)) continue;
    return reallyInside(dir, file) ? { file } : { problem: `it is a link that leads out of ${dir}.` };
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

function rootsAround(from: string, roots: TemplateRoots): string[] {
  const all = Object.values(placesOf(roots)).flat();
  return all.filter((dir) => insideOf(dir, relative(dir, from)) !== undefined);
}
