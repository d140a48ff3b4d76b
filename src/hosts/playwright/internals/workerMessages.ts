// The last door of a process that knows secrets: what it tells the runner, in whatever words, passes with none of them.
import type { Vault } from '../../../secrets/vault.js';

const vaults: Vault[] = [];

/** For the rest of the process: steps end, and errors are told, after the recipe is over. */
export function maskWorkerMessages(vault: Vault): void {
  if (vault.names.length === 0) return;
  vaults.push(vault);
  // A failed test would keep a picture of the page in words, typed values included.
  process.env.PLAYWRIGHT_NO_COPY_PROMPT ??= '1';
  const { send } = process;
  if (vaults.length > 1 || !send) return;
  process.send = ((message: unknown, ...rest: unknown[]) =>
    Reflect.apply(send, process, [maskValue(message), ...rest])) as typeof send;
}

/** A text without the secrets that this process knows. */
export function maskKnownSecrets(text: string): string {
  return maskValue(text) as string;
}

// Numbers stay: they are lines, times and counts of the protocol, and no secret is one by itself.
function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return vaults.reduce((text, vault) => vault.mask(text), value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskValue(key) as string, maskValue(inner)]));
}

export type WorkerListener = {
  /** An error that it throws fails the test. */
  testEnd(testId: string): void;
  /** Errors came while no test ran. */
  fatalErrors(messages: readonly string[]): void;
};
export function findFatalErrors(message: unknown): ({ message?: unknown; value?: unknown } | null)[] {
  const { method, params } = message as { method?: string; params?: { params?: { fatalErrors?: unknown } } };
  const errors = method === '__dispatch__' ? params?.params?.fatalErrors : undefined;
  return Array.isArray(errors) ? errors : [];
}
export function findTestEnd(message: unknown): TestEnd | undefined {
  const { method, params } = message as { method?: string; params?: { method?: string; params?: Partial<TestEnd> } };
  if (method !== '__dispatch__' || params?.method !== 'testEnd') return undefined;
  const end = params.params;
  return typeof end?.testId === 'string' && Array.isArray(end.errors) ? (end as TestEnd) : undefined;
}
export type TestEnd = { testId: string; status: string; errors: object[] };
/**
 * Calls `listener` before a worker reports the end of a test, or errors outside of tests, to Playwright's main process.
 * A worker sends `{ method: '__dispatch__', params: { method: 'testEnd', params: { testId, status, errors } } }`, and the methods `done` and
 * `teardownErrors` with `{ fatalErrors }` (playwright/src/common/process.ts and src/worker/workerMain.ts, 1.65.0).
 * Messages of another form are sent as they are.
 */

export function onWorkerReport(listener: WorkerListener): void {
  const { send } = process;
  if (!send) return;
  process.send = ((message: unknown, ...rest: unknown[]) => {
    const end = findTestEnd(message);
    if (end) {
      try {
        listener.testEnd(end.testId);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        end.status = 'failed';
        end.errors = [...end.errors, { message: `Error: ${error.message}` }];
      }
    }
    const errors = findFatalErrors(message);
    if (errors.length > 0) listener.fatalErrors(errors.map((error) => String(error?.message ?? error?.value ?? 'unknown error')));
    return Reflect.apply(send, process, [message, ...rest]);
  }) as typeof send;
}
