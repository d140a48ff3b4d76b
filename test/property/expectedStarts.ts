import type { NodeRun } from '../../src/engine/state.js';

/** A node run that has to start now, unless a limit is reached. */
export type ExpectedStart = { path: string; visit: number; input: string | undefined };

/** Returns the next attempt of a failed node run. */
export function nextAttempt({ path, visit, input, attempt }: NodeRun): ExpectedStart {
  return { path: `${path.replace(/@\d+$/, '')}@${attempt + 1}`, visit, input };
}

export function formatStarts(runs: readonly { path: string; input?: string | undefined }[]): string {
  return runs.map(({ path, input }) => (input === undefined ? path : `${path} < ${input}`)).join(', ');
}
