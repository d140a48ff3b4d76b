// How often a property or a fault is tried: `usual` times in "npm test", `full` times in "npm run test:all", and as often as
// RECIPEWRIGHT_RUNS says. RECIPEWRIGHT_SEED and RECIPEWRIGHT_PATH take what fast-check printed, and replay one failure.
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
