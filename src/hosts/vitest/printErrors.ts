import type { RunResult } from '../plain/runRecipe.js';
import { printRunFinding } from '../shared/refusedRun.js';

/** Returns the errors of a recipe that could not run, one paragraph each. */
export function printErrors({ findings, text }: Pick<RunResult, 'findings' | 'text'>): string {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.map((finding) => printRunFinding(finding, text)).join('\n\n');
}
