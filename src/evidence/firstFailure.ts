// The node that a run failed of, from its package: the innermost comes first, as it ends first.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { fileSize } from '../system/files/files.js';
import type { TraceEntryJson } from './models/trace.js';
import { readTrace } from './packageDocuments.js';

export type FirstFailure = {
  nodeId: string;
  intent?: string;
  error: string;
  /** Assertions that did not hold. */
  broken: readonly { held: boolean; [field: string]: unknown }[];
  artifacts: readonly string[];
};

/** A longer trace is not gone through for one line of an index. */
const longest = 64_000_000;

export function firstFailure(dir: string): FirstFailure | undefined {
  if ((fileSize(join(dir, 'trace.json')) ?? 0) > longest) return undefined;
  const findings: Finding[] = [];
  const entry = readTrace(dir, findings)?.entries.find(({ ok }) => !ok) as TraceEntryJson | undefined;
  if (!entry) return undefined;
  const { nodeId, id, intent, error, asserts = [], artifacts = [] } = entry;
  return {
    nodeId: nodeId ?? id ?? '',
    ...(intent === undefined ? {} : { intent }),
    error: error ?? 'It failed without a word.',
    broken: asserts.filter(({ held }) => !held),
    artifacts: artifacts.map((artifact) => (typeof artifact === 'string' ? artifact : artifact.path)),
  };
}
