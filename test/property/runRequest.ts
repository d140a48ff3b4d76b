import type { NodeRun } from '../../src/engine/state.js';

/** A run that has to start now, unless a budget is used up. */
export type Wanted = { path: string; visit: number; input: string | undefined };

/** The next attempt of a run that failed. */
export function again({ path, visit, input, attempt }: NodeRun): Wanted {
  return { path: `${path.replace(/@\d+$/, '')}@${attempt + 1}`, visit, input };
}

export function list(runs: readonly { path: string; input?: string | undefined }[]): string {
  return runs.map(({ path, input }) => (input === undefined ? path : `${path} < ${input}`)).join(', ');
}
