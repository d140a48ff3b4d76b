// What a flow found, for people and programs: findings.json and beacons.json of the package.
import { classOfCode, type FailureClass, failureClasses } from '../../dialects/flowSpec/failureClass.js';
import type { Severity } from '../../dialects/flowSpec/model.js';
import type { RecipeError } from '../../evidence/failure.js';
import type { Capture } from '../action.js';
import type { FlowRun } from './flowRun.js';

export type FlowFinding = {
  status: 'verified' | 'advisory';
  severity: Severity;
  /** The step or assertion that it is about. */
  node: string;
  message: string;
  failure_class?: FailureClass;
  evidence: { url: string; detail?: string };
};

export type StepRecord = {
  id: string;
  intent: string;
  optional?: boolean | undefined;
  status: 'passed' | 'failed' | 'skipped';
  failure_class?: FailureClass;
  message?: string;
  url?: string;
  resolved?: unknown;
};

export function stepFinding(record: StepRecord, error: RecipeError, url: string): FlowFinding | undefined {
  const failure = classOfCode(error.code);
  if (!record.optional && failure !== 'assertion_failed') return undefined;
  const severity = record.optional ? 'warning' : 'critical';
  const [message = '', ...more] = error.message.split('\n');
  const evidence = { url, ...(more.length > 0 ? { detail: more.join('\n') } : {}) };
  return { status: 'verified', severity, node: record.id, message, ...(failure ? { failure_class: failure } : {}), evidence };
}

/** How the run went, apart from what the test makes of it. */
export function runOf({ steps }: Pick<FlowRun, 'steps'>): Record<string, unknown> {
  const halted = steps.find(({ status, optional }) => status === 'failed' && !optional);
  if (halted) {
    const { failure_class: failure, id } = halted;
    const said =
      failure === undefined
        ? {}
        : { failure_class: failure, alert: failureClasses[failure].alert, todo: failureClasses[failure].todo };
    return { status: 'failed', step: id, ...said };
  }
  return { status: steps.some(({ status }) => status === 'skipped') ? 'interrupted' : 'completed' };
}

export function reportOf(flow: FlowRun): Record<string, unknown> {
  const { name, steps, assertions, findings, guard, settings } = flow;
  return {
    ...{ schema_version: 1, spec_version: '1', name, run: runOf(flow), fail_on: settings.failOn },
    ...{ steps, assertions, findings, blocked: guard?.blocked ?? [], target_resolver_calls: flow.quota.asked },
  };
}

export function capturesOf(flow: FlowRun): Capture[] {
  const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const kept = { type: 'log', category: 'evidence', mimeType: 'application/json' };
  const findings = { path: 'findings.json', ...kept, label: 'Findings of the flow', body: json(reportOf(flow)) };
  const beacons = { path: 'beacons.json', ...kept, label: 'Beacons of the flow', body: json(flow.guard?.beacons ?? []) };
  return [findings, beacons];
}
