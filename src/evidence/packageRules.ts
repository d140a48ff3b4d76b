// What the documents of a package say about each other.
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/pointer.js';
import type { Document } from '../document/readDocument.js';
import type { ArtifactManifestJson } from './models/artifactManifest.js';
import type { SummaryJson } from './models/summary.js';
import type { TraceEntryJson } from './models/trace.js';
import type { recipeNodes } from './recipeNodes.js';

type Read<T> = { value: T; document: Document };

export type ReadTrace = { entries: readonly TraceEntryJson[]; document: Document /** The pointer of the list. */; at: string };

type Parts = {
  manifest: Read<ArtifactManifestJson> | undefined;
  summary: Read<SummaryJson> | undefined;
  trace: ReadTrace | undefined;
};

export function checkCounts({ manifest, summary, trace }: Parts, findings: Finding[]): void {
  if (!summary) return;
  const { value, document } = summary;
  const report = (code: string, field: string, said: Pick<Finding, 'message' | 'hint'>): void => {
    const path = joinPointer('', field);
    findings.push({ code: `artifact_package.${code}`, severity: 'error', path, place: document.place(path), ...said });
  };
  if (trace) {
    const failed = trace.entries.filter((entry) => !entry.ok).length;
    const counted = { total: trace.entries.length, passed: trace.entries.length - failed, failed };
    for (const [field, seen] of Object.entries(counted)) {
      const told = value[field];
      const message = `${JSON.stringify(field)} is ${told}, but trace.json has ${seen}.`;
      if (told !== undefined && told !== seen) report('count_mismatch', field, { message, hint: sameRun });
    }
    const message = `The status is "pass", but ${failed} of ${trace.entries.length} entries of trace.json failed.`;
    if (value.status === 'pass' && failed > 0) report('status_mismatch', 'status', { message, hint: sameRun });
  }
  const run = manifest?.value.runStatus;
  const message = `The status is ${JSON.stringify(value.status)}, but artifact-manifest.json says ${JSON.stringify(run)}.`;
  if (run && run !== value.status) report('status_mismatch', 'status', { message, hint: sameRun });
}

const sameRun = 'The files of a package belong to one run and are not edited: take all of them from the same run.';

export function checkTraceNodes(
  { entries, document, at }: ReadTrace,
  nodes: NonNullable<ReturnType<typeof recipeNodes>>,
  findings: Finding[],
): void {
  for (const [index, entry] of entries.entries()) {
    const id = entry.nodeId ?? entry.id ?? '';
    const named = nodes(id);
    const report = (code: string, field: string, message: string): void => {
      const path = joinPointer(at, index, field);
      const hint = 'A trace belongs to the recipe beside it: take both from the same run.';
      findings.push({ code: `artifact_package.${code}`, severity: 'error', path, place: document.place(path), message, hint });
    };
    if (named.kind === 'unknown')
      report(
        'unknown_trace_node',
        entry.nodeId === undefined ? 'id' : 'nodeId',
        `recipe.json has no node ${JSON.stringify(id)}.`,
      );
    if (named.kind === 'node' && named.action !== entry.action) {
      const message = `${id} ran ${JSON.stringify(entry.action)}, but in recipe.json its action is ${JSON.stringify(named.action)}.`;
      report('trace_action_mismatch', 'action', message);
    }
  }
}
