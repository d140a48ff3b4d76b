// What travels between Vitest's pool and its processes, as far as the sharing of processes reads or adds to it.
import type { WorkerRequest, WorkerResponse } from 'vitest/node';

/** What a process is asked when a document in it is over, and its answer. */
export const restAsked = { recipewright: 'rest?' } as const;
export type RestAnswer = { recipewright: 'rest'; isAtRest: boolean };

export const started: WorkerResponse = { __vitest_worker_response__: true, type: 'started' };
export const stopped: WorkerResponse = { __vitest_worker_response__: true, type: 'stopped' };
export const stopAsked: WorkerRequest = { __vitest_worker_request__: true, type: 'stop' };

/** The name of a request, a response or a call; none for the result of a call. */
export function kindOf(message: unknown): string | undefined {
  const { type, t, m, recipewright } = fieldsOf(message);
  const kind = recipewright ?? type ?? (t === 'q' ? m : undefined);
  return typeof kind === 'string' ? kind : undefined;
}

export function fieldsOf(message: unknown): Record<string, unknown> {
  return Object(message) as Record<string, unknown>;
}
