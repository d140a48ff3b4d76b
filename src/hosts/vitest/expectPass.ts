// An assertion for hand-written tests that run a recipe. The error of a recipe that did not pass lists its nodes.
import type { TraceEntry } from '../../evidence/trace.js';
import type { RunResult } from '../plain/runRecipe.js';
import { printErrors } from './printErrors.js';
import { recordThrownError } from './runRecipeInTest.js';

/** @throws an error with the verdict, every node that ran and the directory of the package, or with the findings of a recipe that could not run */
export function expectPass(result: RunResult): asserts result is RunResult & { ran: true } {
  if (!result.ran) throw createVerdictError(result, `The recipe cannot be run:\n\n${printErrors(result)}`);
  const { summary, trace, dir } = result;
  if (summary.status === 'pass') return;
  const steps = trace.map(formatStep).join('\n');
  throw createVerdictError(
    result,
    `The recipe's verdict is ${summary.status}: ${summary.reason}\n\n${steps}\n\nThe evidence package is in ${dir}.`,
  );
}

function formatStep({ nodeId, action, intent, ok, status }: TraceEntry): string {
  return `${status === 'skip' ? '-' : ok ? '✓' : '✗'} ${intent ?? nodeId} (${nodeId} · ${action})`;
}

// Starts the stack at the caller of expectPass, so that Vitest shows the line of the test.
function createVerdictError(result: RunResult, message: string): Error {
  const error = new Error(message);
  Error.captureStackTrace(error, expectPass);
  recordThrownError(result, error);
  return error;
}
