// Filters the messages from a worker to Playwright's main process: secrets are masked, and packages are written before a test ends.
// A worker sends { method: '__dispatch__', params: { method: 'testEnd', params: { testId, status, errors } } },
// and `fatalErrors` with the methods `done` and `teardownErrors`.
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/common/process.ts
// https://github.com/microsoft/playwright/blob/v1.65.0/packages/playwright/src/worker/workerMain.ts
// Messages of another form are masked and forwarded. Packages are then written with the next test, or when the process exits.
import type { Vault } from '../../../secrets/vault.js';

type WorkerListener = {
  /** Called when a test ends. An error that this method throws fails the test. */
  testEnd(testId: string): void;
  /** Receives errors of the worker that belong to no test. */
  fatalErrors(messages: readonly string[]): void;
};

const vaults: Vault[] = [];
const listeners: WorkerListener[] = [];
let isFiltering = false;

/** Masks the secrets in all later messages of this process, because steps end and errors are reported after the recipe has ended. */
export function maskWorkerMessages(vault: Vault): void {
  if (vault.names.length === 0) return;
  vaults.push(vault);
  // Otherwise, Playwright attaches the content of the page, with typed values, to the error of a failed test.
  process.env.PLAYWRIGHT_NO_COPY_PROMPT ??= '1';
  filterMessages();
}

/** Calls `listener` before the worker reports the end of a test, or errors that belong to no test. */
export function onWorkerReport(listener: WorkerListener): void {
  listeners.push(listener);
  filterMessages();
}

export function maskKnownSecrets(text: string): string {
  return maskValue(text) as string;
}

function filterMessages(): void {
  const { send } = process;
  if (isFiltering || !send) return;
  isFiltering = true;
  process.send = ((message: unknown, ...rest: unknown[]) => {
    const masked = vaults.length > 0 ? maskValue(message) : message;
    for (const listener of listeners) notify(listener, masked);
    return Reflect.apply(send, process, [masked, ...rest]);
  }) as typeof send;
}

// Numbers are not masked: they are lines, times and counts of the protocol.
function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return vaults.reduce((text, vault) => vault.mask(text), value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskValue(key) as string, maskValue(inner)]));
}

function notify(listener: WorkerListener, message: unknown): void {
  const end = findTestEnd(message);
  if (end) {
    try {
      listener.testEnd(end.testId);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      end.status = 'failed';
      end.errors = [...end.errors, { message: maskKnownSecrets(`Error: ${why}`) }];
    }
  }
  const errors = findFatalErrors(message);
  if (errors.length > 0) listener.fatalErrors(errors.map((error) => String(error?.message ?? error?.value ?? 'unknown error')));
}

type TestEnd = { testId: string; status: string; errors: object[] };

function findTestEnd(message: unknown): TestEnd | undefined {
  const { method, params } = message as { method?: string; params?: { method?: string; params?: Partial<TestEnd> } };
  if (method !== '__dispatch__' || params?.method !== 'testEnd') return undefined;
  const end = params.params;
  return typeof end?.testId === 'string' && Array.isArray(end.errors) ? (end as TestEnd) : undefined;
}

function findFatalErrors(message: unknown): ({ message?: unknown; value?: unknown } | null)[] {
  const { method, params } = message as { method?: string; params?: { params?: { fatalErrors?: unknown } } };
  const errors = method === '__dispatch__' ? params?.params?.fatalErrors : undefined;
  return Array.isArray(errors) ? errors : [];
}
