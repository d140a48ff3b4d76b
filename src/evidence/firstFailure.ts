// The node that a run failed of, from its package: the innermost comes first, as it ends first.
import type { Finding } from '../document/finding.js';
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

export function firstFailure(dir: string): FirstFailure | undefined {
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
