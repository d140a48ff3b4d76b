// What the documents of a package say about each other.
import type { Finding } from '../document/finding.js';
import { joinPointer } from '../document/jsonPointer.js';
import type { Document } from '../document/readDocument.js';
import { worseStatus } from '../engine/plan.js';
import type { ArtifactManifestJson } from './models/artifactManifest.js';
import type { SummaryJson } from './models/summary.js';
import type { TraceEntryJson } from './models/trace.js';
import type { RetainedRecipe } from './retainedRecipe.js';

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
    const doubt = doubtOf(value, trace.entries);
    if (doubt !== undefined) report('status_mismatch', 'status', { message: `${saidOf(value)}, but ${doubt}.`, hint: sameRun });
  }
  const run = manifest?.value.runStatus;
  const message = `${saidOf(value)}, but artifact-manifest.json says ${JSON.stringify(run)}.`;
  if (run && run !== value.status) report('status_mismatch', 'status', { message, hint: sameRun });
}

const sameRun = 'The files of a package belong to one run and are not edited: take all of them from the same run.';

function saidOf({ status }: SummaryJson): string {
  return `The status is ${JSON.stringify(status)}`;
}

/** What the trace holds against the status, in words. */
function doubtOf(summary: SummaryJson, entries: readonly TraceEntryJson[]): string | undefined {
  const { status } = summary;
  const failed = entries.filter((entry) => !entry.ok).length;
  if (status === 'pass' && failed > 0 && !isSofter(summary)) return `${failed} of ${entries.length} entries of trace.json failed`;
  if (status === 'pass' && entries.length === 0) return 'trace.json is empty: nothing ran';
  const ended = entries.findLast((entry) => entry.action === 'end' && !idOf(entry).includes('/'))?.status;
  if (ended !== undefined && worseStatus(ended, status) !== status)
    return `the run ended with ${JSON.stringify(ended)} in trace.json`;
  if (status === 'fail' && failed === 0 && ended !== 'fail' && !isExplained(summary, entries))
    return 'nothing failed in trace.json and it did not end with "fail"';
  return undefined;
}

// Somebody asked for the verdict of the format's reference, which passes over failures; the journal has to bear it out.
function isSofter({ verdicts }: SummaryJson): boolean {
  return verdicts?.compat === 'pass' && verdicts.honest !== 'pass';
}

// A failure that was tolerated, a claim that was refuted, or a run that could not go on: no entry has to have failed.
function isExplained({ error, cause_class, cause_counts, proof = [] }: SummaryJson, entries: readonly TraceEntryJson[]): boolean {
  const causes = Object.values(cause_counts ?? {}).some((count) => count > 0);
  const refuted = proof.some((claim) => claim.status === 'refuted');
  const assertion = entries.some(({ asserts = [] }) => asserts.some(({ held }) => !held));
  return Boolean(error) || cause_class !== undefined || causes || refuted || assertion;
}

function idOf({ nodeId, id = '' }: TraceEntryJson): string {
  return nodeId ?? id;
}

export function checkTraceNodes({ entries, document, at }: ReadTrace, recipe: RetainedRecipe, findings: Finding[]): void {
  for (const [index, entry] of entries.entries()) {
    const id = idOf(entry);
    const named = recipe.named(id);
    const report = (code: string, field: string, message: string): void => {
      const severity = field === 'intent' ? 'warning' : 'error';
      const path = joinPointer(at, index, field);
      const hint = 'A trace belongs to the recipe beside it: take both from the same run.';
      findings.push({ code: `artifact_package.${code}`, severity, path, place: document.place(path), message, hint });
    };
    if (named.kind === 'unknown') {
      const field = entry.nodeId === undefined ? 'id' : 'nodeId';
      report('unknown_trace_node', field, `recipe.json has no node ${JSON.stringify(id)}.`);
    }
    if (named.kind !== 'node') continue;
    if (named.action !== entry.action) {
      const message = `${id} ran ${JSON.stringify(entry.action)}, but in recipe.json its action is ${JSON.stringify(named.action)}.`;
      report('trace_action_mismatch', 'action', message);
    }
    if (isOtherIntent(named.intent, entry.intent)) {
      const message = `${id} says ${JSON.stringify(entry.intent)}, but in recipe.json its intent is ${JSON.stringify(named.intent)}.`;
      report('trace_intent_mismatch', 'intent', message);
    }
  }
}

// What a template became is known only to the run.
function isOtherIntent(written: unknown, told: string | undefined): boolean {
  return typeof written === 'string' && told !== undefined && !written.includes('{{') && written !== told;
}
