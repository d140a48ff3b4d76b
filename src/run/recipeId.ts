// What a run is called and what it is given, the same for every host.
import { randomUUID } from 'node:crypto';
import { relative } from 'node:path';
import type { Recipe } from '../dialects/recipe.js';
import type { Inputs } from './job.js';

/** The recipe's name everywhere: its path in the project without the ending. */
export function recipeId(file: string, projectRoot: string): string {
  return (
    relative(projectRoot, file)
      .replaceAll('\\', '/')
      // A recipe above the project still has its package inside of the results.
      .replaceAll('../', '_up/')
      .replace(/\.recipe\.json$/, '')
  );
}

export function newRunId(): string {
  return randomUUID();
}

/** Literal inputs and the defaults of described ones. */
export function inputValues({ inputs }: Recipe): Inputs {
  return Object.fromEntries([...inputs].map(([name, value]) => [name, { value: defaultOf(value), origin: 'recipe' }]));
}

function defaultOf(value: unknown): unknown {
  const described = typeof value === 'object' && value !== null && 'type' in value;
  return described ? ((value as { default?: unknown }).default ?? null) : value;
}
