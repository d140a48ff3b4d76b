// What a flow found, for people and programs: findings.json and beacons.json of the package.

import type { Capture } from '../../../evidence/journal.js';
import type { RecipeError } from '../../../evidence/recipeError.js';
import { failureClasses, findFailureClass } from '../failureClass.js';
import type { BlockedRequest } from '../network/navigationGuard.js';
import type { ResolvedSettings } from '../settings.js';
import { type FindingEvidence, type FlowFinding, type FlowPlan, FlowRun, type StepRecord } from './flowRun.js';

export function createStepFinding(record: StepRecord, error: RecipeError, at: FindingEvidence): FlowFinding | undefined {
  const failure = findFailureClass(error.code);
  if (!record.optional && failure !== 'assertion_failed') return undefined;
  const severity = record.optional ? 'warning' : 'critical';
  const [message = '', ...more] = error.message.split('\n');
  const evidence = { ...at, ...(more.length > 0 ? { detail: more.join('\n') } : {}) };
  return { status: 'verified', severity, node: record.id, message, ...(failure ? { failure_class: failure } : {}), evidence };
}

/** How the run went, apart from what the test makes of it. */
export function summarizeRun({ steps, halted }: Pick<FlowRun, 'steps' | 'halted'>): Record<string, unknown> {
  const failedStep = halted ?? steps.find(({ status, optional }) => status === 'failed' && !optional);
  if (!failedStep) return { status: steps.some(({ status }) => status === 'skipped') ? 'interrupted' : 'completed' };
  const { failure_class: failure, id, message } = failedStep;
  if (failure === undefined) return { status: 'failed', step: id, message };
  const { alert, todo } = failureClasses[failure];
  return { status: 'failed', step: id, failure_class: failure, alert, todo, message };
}

function buildFlowReport(flow: FlowRun): Record<string, unknown> {
  const { name, steps, assertions, findings, guard, settings } = flow;
  const blocked = guard?.blocked ?? [];
  return {
    ...{ schema_version: 1, spec_version: '1', name, run: summarizeRun(flow), fail_on: settings.failOn, steps, assertions },
    ...{ findings: [...findings, ...createBlockFindings(blocked)], blocked, target_resolver_calls: flow.quota.callCount },
  };
}

/** What was kept from a page is no error of it, and not for anybody to act on; a navigation has failed its step already. */
function createBlockFindings(blocked: readonly BlockedRequest[]): FlowFinding[] {
  const others = new Map(blocked.filter(({ what }) => what !== 'navigation').map((each) => [`${each.what} ${each.url}`, each]));
  return [...others.values()].slice(0, maxBlockFindings).map(({ url, why, what, step }) => {
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

// findings.json of a flow that could not begin, as when a credential is missing.

type Refusal = { code: string; message: string; node: string };

/** Undefined when what is wrong belongs to no failure class. */
export function reportRefusedFlow(
  plan: FlowPlan,
  settings: ResolvedSettings,
  why: Refusal,
): ReadonlyMap<string, string> | undefined {
  const failure = findFailureClass(why.code);
  if (failure === undefined) return undefined;
  const flow = new FlowRun(plan, settings);
  flow.halted = { id: why.node, intent: '', status: 'failed', failure_class: failure, message: why.message };
  return new Map([['findings.json', `${JSON.stringify(buildFlowReport(flow), null, 2)}\n`]]);
}
