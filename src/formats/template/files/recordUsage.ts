// Keeps count of the launches of a recipe: beside it by default, so that the file stays its author's, or in it on request.
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../../system/clock.js';
import { readBytesIfThere, writeFileAtomically } from '../../../system/files/files.js';
import { countUsage, type LaunchKind, type Usage } from '../countUsage.js';
import { isObject } from '../templateNode.js';

export type UsageOptions = { kind: LaunchKind; inFile?: boolean };

/** Where the count of a recipe is kept. A folder is never taken for a recipe. */
export function usageLedger(file: string): string {
  return join(dirname(file), '.usage', `${basename(file)}.json`);
}

/** Undefined for Markdown when it is to be kept in the file, and for what is no JSON object: those have no place for it. */
export function recordUsage(file: string, { kind, inFile = false }: UsageOptions): Usage | undefined {
  const raw = readJson(file);
  if (!raw) return undefined;
  const ledger = usageLedger(file);
  const before = inFile ? raw.usage : readJson(ledger);
  const usage = countUsage(raw, isObject(before) ? before : undefined, { kind, now: systemClock.wall() });
  writeFileAtomically(inFile ? file : ledger, `${JSON.stringify(inFile ? { ...raw, usage } : usage, null, 2)}\n`);
  return usage;
}

function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = readBytesIfThere(file);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isObject(value) ? value : undefined;
  } catch {
    // SyntaxError: Markdown, or a recipe that is broken and will say so itself.
    return undefined;
  }
}
