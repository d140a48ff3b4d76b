// The number of runs of a property: `usual` in "npm test", `full` in "npm run test:all", or RECIPEWRIGHT_RUNS. To replay one failure, set
// RECIPEWRIGHT_SEED and RECIPEWRIGHT_PATH to the values that fast-check printed.
import type { Parameters } from 'fast-check';

export const timeoutMs = 600_000;

export function runCount(usual: number, full = 5 * usual): Parameters<unknown> {
  const { RECIPEWRIGHT_ALL, RECIPEWRIGHT_RUNS, RECIPEWRIGHT_SEED, RECIPEWRIGHT_PATH } = process.env;
  return {
    numRuns: RECIPEWRIGHT_RUNS ? Number(RECIPEWRIGHT_RUNS) : RECIPEWRIGHT_ALL ? full : usual,
    ...(RECIPEWRIGHT_SEED ? { seed: Number(RECIPEWRIGHT_SEED) } : {}),
    ...(RECIPEWRIGHT_PATH ? { path: RECIPEWRIGHT_PATH, endOnFailure: true } : {}),
  };
}
