// Builds findings.json and beacons.json, the reports of a flow in its package.

import type { Capture } from '../../../evidence/journal.js';
import type { RecipeError } from '../../../evidence/recipeError.js';
import { failureClasses, findFailureClass } from '../failureClass.js';
import type { BlockedRequest } from '../network/navigationGuard.js';
import type { ResolvedSettings } from '../settings.js';
import { type FindingEvidence, type FlowFinding, type FlowPlan, FlowRun, type StepRecord } from './flowRun.js';

export function createStepFinding(record: StepRecord, error: RecipeError, location: FindingEvidence): FlowFinding | undefined {
  const failureClass = findFailureClass(error.code);
  if (!record.optional && failureClass !== 'assertion_failed') return undefined;
  const severity = record.optional ? 'warning' : 'critical';
  const [message = '', ...details] = error.message.split('\n');
  const evidence = { ...location, ...(details.length > 0 ? { detail: details.join('\n') } : {}) };
  return {
    status: 'verified',
    severity,
    node: record.id,
    message,
    ...(failureClass ? { failure_class: failureClass } : {}),
    evidence,
  };
}

/** Returns the outcome of the flow itself, which is independent of the result of the test. */
export function summarizeRun({ steps, halted }: Pick<FlowRun, 'steps' | 'halted'>): Record<string, unknown> {
  const failedStep = halted ?? steps.find(({ status, optional }) => status === 'failed' && !optional);
  if (!failedStep) return { status: steps.some(({ status }) => status === 'skipped') ? 'interrupted' : 'completed' };
  const { failure_class: failureClass, id, message } = failedStep;
  if (failureClass === undefined) return { status: 'failed', step: id, message };
  const { alert, todo } = failureClasses[failureClass];
  return { status: 'failed', step: id, failure_class: failureClass, alert, todo, message };
}

function buildFlowReport(flow: FlowRun): Record<string, unknown> {
  const { name, steps, assertions, findings, guard, settings } = flow;
  const blocked = guard?.blocked ?? [];
  return {
    schema_version: 1,
    spec_version: '1',
    name,
    run: summarizeRun(flow),
    fail_on: settings.failOn,
    steps,
    assertions,
    findings: [...findings, ...createBlockFindings(blocked)],
    blocked,
    target_resolver_calls: flow.quota.callCount,
  };
}

/** Creates advisory findings for blocked requests. A blocked navigation has already failed its step, so it gets no finding. */
function createBlockFindings(blocked: readonly BlockedRequest[]): FlowFinding[] {
  const requests = blocked.filter(({ what }) => what !== 'navigation');
  const unique = new Map(requests.map((request) => [`${request.what} ${request.url}`, request]));
  return [...unique.values()].slice(0, maxBlockFindings).map(({ url, why, what, step }) => {
    return {
      status: 'advisory',
      severity: 'info',
      node: step,
      message: `A ${what} was blocked: ${url}`,
      evidence: { url, detail: why },
    };
  });
}

const maxBlockFindings = 50;

export function captureReports(flow: FlowRun): Capture[] {
  const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const attributes = { type: 'log', category: 'evidence', mimeType: 'application/json' };
  const findings = { path: 'findings.json', ...attributes, label: 'Findings of the flow', body: json(buildFlowReport(flow)) };
  const beacons = { path: 'beacons.json', ...attributes, label: 'Beacons of the flow', body: json(flow.guard?.beacons ?? []) };
  return [findings, beacons];
}

type Refusal = { code: string; message: string; node: string };

/**
 * Builds findings.json of a flow that could not start, for example without a credential. Returns undefined for an error without a
 * failure class.
 */
export function reportRefusedFlow(
  plan: FlowPlan,
  settings: ResolvedSettings,
  { code, message, node }: Refusal,
): ReadonlyMap<string, string> | undefined {
  const failureClass = findFailureClass(code);
  if (failureClass === undefined) return undefined;
  const flow = new FlowRun(plan, settings);
  flow.halted = { id: node, intent: '', status: 'failed', failure_class: failureClass, message };
  return new Map([['findings.json', `${JSON.stringify(buildFlowReport(flow), null, 2)}\n`]]);
}
