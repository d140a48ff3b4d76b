// The last door of a process that knows secrets: what it tells the runner, in whatever words, passes with none of them.
import type { Vault } from '../../secrets/vault.js';

const vaults: Vault[] = [];

/** For the rest of the process: steps end, and errors are told, after the recipe is over. */
export function guardOutput(vault: Vault): void {
  if (vault.names.length === 0) return;
  vaults.push(vault);
  // A failed test would keep a picture of the page in words, typed values included.
  process.env.PLAYWRIGHT_NO_COPY_PROMPT ??= '1';
  const { send } = process;
  if (vaults.length > 1 || !send) return;
  process.send = ((message: unknown, ...rest: unknown[]) =>
    Reflect.apply(send, process, [masked(message), ...rest])) as typeof send;
}

/** A text without the secrets that this process knows. */
export function maskOutput(text: string): string {
  return masked(text) as string;
}

// Numbers stay: they are lines, times and counts of the protocol, and no secret is one by itself.
function masked(value: unknown): unknown {
  if (typeof value === 'string') return vaults.reduce((text, vault) => vault.mask(text), value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [masked(key) as string, masked(inner)]));
}
