// Recipes that pass while word.txt contains "hello", saved results of such a run, and a reader for the index of the results.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hears, recipe } from './recipe.js';
import { setupFile } from './setupFile.js';

/** A setup module whose action reads word.txt. If a file `hang` exists, the action prints a line and never ends. */
export const wordSetup = setupFile(
  {
    'lab.word': `
      if (existsSync('hang') && fields.hangs) { console.log('it hangs'); await new Promise(() => undefined); }
      return { output: { stdout: readFileSync('word.txt', 'utf8') } };`,
  },
  "import { existsSync, readFileSync } from 'node:fs';",
);

/** A recipe that proves its claim while word.txt contains "hello", and refutes the claim otherwise. */
export const wordRecipe = (claim: string, hangs = false): object =>
  recipe(
    { speak: { action: 'lab.word', ...(hangs ? { hangs } : {}) }, listen: hears('speak', 'hello', { proofTarget: claim }) },
    { title: `Proves ${claim}`, targets: [claim] },
  );

export const wordFiles = {
  'word.txt': 'hello',
  'recipes.setup.ts': wordSetup,
  'recipes/a.recipe.json': wordRecipe('AC1'),
  'recipes/b.recipe.json': wordRecipe('AC2', true),
  'recipes/c.recipe.json': wordRecipe('AC3'),
};

type Resolution = {
  id: string;
  kind: string;
  status?: string;
  outcome?: string;
  detail?: string;
  claims?: { id: string; claim: string }[];
};

export type Index = {
  /** The first heading of index.md. */
  md: string;
  /** The heading of index.html. */
  html: string;
  state?: string;
  totals: Record<string, number>;
  /** The verdict or outcome of each recipe, by id. */
  recipes: Record<string, string>;
  resolutions: Resolution[];
  /** The claims that index.md lists as proven. */
  proven: string[];
  text: string;
};

const results = (dir: string): string => join(dir, 'recipe-results');

export function indexIn(dir: string): Index {
  const read = (name: string): string => readFileSync(join(results(dir), name), 'utf8');
  const { state, totals, resolutions } = JSON.parse(read('suite.json')) as Pick<Index, 'state' | 'totals' | 'resolutions'>;
  const text = read('index.md');
  const [, provenList = ''] = /### proven\n\n((?:- .*\n)*)/.exec(text) ?? [];
  return {
    md: /^# (.*)$/m.exec(text)?.[1] ?? '',
    html: /<h1>(.*?)<\/h1>/.exec(read('index.html'))?.[1] ?? '',
    ...(state === undefined ? {} : { state }),
    totals,
    recipes: Object.fromEntries(resolutions.map(({ id, status, outcome }) => [id, status ?? outcome ?? ''])),
    resolutions,
    proven: [...provenList.matchAll(/^- (\S+) of/gm)].map(([, id = '']) => id),
    text,
  };
}

/** Returns the contents of the three index files. */
export function indexBytes(dir: string): string[] {
  return ['index.md', 'index.html', 'suite.json'].map((name) => readFileSync(join(results(dir), name), 'utf8'));
}

/** Saves the results of a run, so that other runs can start from them. */
export function keepResults(dir: string): void {
  cpSync(results(dir), join(dir, 'kept-results'), { recursive: true });
}

export function restoreResults(dir: string): void {
  rmSync(results(dir), { recursive: true, force: true });
  if (existsSync(join(dir, 'kept-results'))) cpSync(join(dir, 'kept-results'), results(dir), { recursive: true });
}
