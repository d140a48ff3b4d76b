// How often a property is tried, and how a failure is tried again: RECIPEWRIGHT_SEED and RECIPEWRIGHT_PATH take what fast-check printed.
import type { Parameters } from 'fast-check';

export const timeoutMs = 600_000;

export function runCount(usual: number): Parameters<unknown> {
  const { RECIPEWRIGHT_RUNS, RECIPEWRIGHT_SEED, RECIPEWRIGHT_PATH } = process.env;
  return {
    numRuns: RECIPEWRIGHT_RUNS ? Number(RECIPEWRIGHT_RUNS) : usual,
    ...(RECIPEWRIGHT_SEED ? { seed: Number(RECIPEWRIGHT_SEED) } : {}),
    ...(RECIPEWRIGHT_PATH ? { path: RECIPEWRIGHT_PATH, endOnFailure: true } : {}),
  };
}
