// What a flow found, for people and programs: findings.json and beacons.json of the package.

import type { RecipeError } from '../../../evidence/failure.js';
import type { Capture } from '../../../evidence/journal.js';
import { classOfCode, type FailureClass, failureClasses } from '../failureClass.js';
import type { Severity } from '../model.js';
import type { FlowRun } from './flowRun.js';
import type { Blocked } from './navigationGuard.js';

export type FlowFinding = {
  status: 'verified' | 'advisory';
  severity: Severity;
  /** The step or assertion that it is about. */
  node: string;
  message: string;
  failure_class?: FailureClass;
  evidence: Evidence;
};

type Evidence = { url: string; selector?: string; detail?: string };

export type StepRecord = {
  id: string;
  intent: string;
  optional?: boolean | undefined;
  status: 'passed' | 'failed' | 'skipped';
  failure_class?: FailureClass | undefined;
  message?: string;
  url?: string;
  resolved?: unknown;
};

export function stepFinding(record: StepRecord, error: RecipeError, at: Evidence): FlowFinding | undefined {
  const failure = classOfCode(error.code);
  if (!record.optional && failure !== 'assertion_failed') return undefined;
  const severity = record.optional ? 'warning' : 'critical';
  const [message = '', ...more] = error.message.split('\n');
  const evidence = { ...at, ...(more.length > 0 ? { detail: more.join('\n') } : {}) };
  return { status: 'verified', severity, node: record.id, message, ...(failure ? { failure_class: failure } : {}), evidence };
}

/** How the run went, apart from what the test makes of it. */
export function runOf({ steps, halted }: Pick<FlowRun, 'steps' | 'halted'>): Record<string, unknown> {
  const by = halted ?? steps.find(({ status, optional }) => status === 'failed' && !optional);
  if (!by) return { status: steps.some(({ status }) => status === 'skipped') ? 'interrupted' : 'completed' };
  const { failure_class: failure, id, message } = by;
  if (failure === undefined) return { status: 'failed', step: id, message };
  const { alert, todo } = failureClasses[failure];
  return { status: 'failed', step: id, failure_class: failure, alert, todo, message };
}

export function reportOf(flow: FlowRun): Record<string, unknown> {
  const { name, steps, assertions, findings, guard, settings } = flow;
  const blocked = guard?.blocked ?? [];
  return {
    ...{ schema_version: 1, spec_version: '1', name, run: runOf(flow), fail_on: settings.failOn, steps, assertions },
    ...{ findings: [...findings, ...blockFindings(blocked)], blocked, target_resolver_calls: flow.quota.asked },
  };
}

/** What was kept from a page is no error of it, and not for anybody to act on; a navigation has failed its step already. */
function blockFindings(blocked: readonly Blocked[]): FlowFinding[] {
  const others = new Map(blocked.filter(({ what }) => what !== 'navigation').map((each) => [`${each.what} ${each.url}`, each]));
  return [...others.values()].slice(0, mostBlocks).map(({ url, why, what, step }) => {
    return {
      status: 'advisory',
      severity: 'info',
      node: step,
      message: `A ${what} was blocked: ${url}`,
      evidence: { url, detail: why },
    };
  });
}

const mostBlocks = 50;

export function capturesOf(flow: FlowRun): Capture[] {
  const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const kept = { type: 'log', category: 'evidence', mimeType: 'application/json' };
  const findings = { path: 'findings.json', ...kept, label: 'Findings of the flow', body: json(reportOf(flow)) };
  const beacons = { path: 'beacons.json', ...kept, label: 'Beacons of the flow', body: json(flow.guard?.beacons ?? []) };
  return [findings, beacons];
}
