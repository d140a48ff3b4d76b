// findings.json of a flow that could not begin, as when a credential is missing.
import { classOfCode } from '../failureClass.js';
import { type FlowPlan, FlowRun } from './flowRun.js';
import { reportOf } from './report.js';
import type { Settled } from './settings.js';

type Refusal = { code: string; message: string; node: string };

/** Undefined when what is wrong belongs to no failure class. */
export function refusedReport(plan: FlowPlan, settings: Settled, why: Refusal): ReadonlyMap<string, string> | undefined {
  const failure = classOfCode(why.code);
  if (failure === undefined) return undefined;
  const flow = new FlowRun(plan, settings);
  flow.halted = { id: why.node, intent: '', status: 'failed', failure_class: failure, message: why.message };
  return new Map([['findings.json', `${JSON.stringify(reportOf(flow), null, 2)}\n`]]);
}
