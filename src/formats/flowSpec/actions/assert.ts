// rw.flow_assert: grades the flow after its steps.
import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { isBeaconOf } from '../readBeacons.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillVariables, flowTextSchema } from '../run/flowText.js';

const schema = z.strictObject({
  kind: z.enum(['no_console_errors', 'beacon_fires']),
  vendor: flowTextSchema.optional(),
  event: flowTextSchema.optional(),
  severity: z.enum(['critical', 'warning', 'info']),
});

type Fields = z.output<typeof schema>;

export function assertAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_assert',
    description:
      'Checks one assertion of a flow-spec after its steps. A failed assertion becomes a finding and does not stop the flow.',
    schema,
    examples: [{ description: 'No errors.', node: { action: 'rw.flow_assert', kind: 'no_console_errors', severity: 'warning' } }],
    effect: 'reads',
    asserts: true,
    fallible: () => true,
    needs: ['page'],
    run: (fields, context) => gradeAssertion(flows.getRun(context), context, fields),
  });
}

function gradeAssertion(flow: FlowRun, context: ActionContext, fields: Fields): ActionResult {
  const { actual, problem } = evaluateAssertion(flow, fields);
  const held = problem === undefined;
  const { kind, severity } = fields;
  const { id } = context.node;
  const record = flow.assertions.find((each) => each.id === id);
  if (record) Object.assign(record, { status: held ? 'passed' : 'failed', severity });
  const asserts = [{ operator: kind, path: 'the flow', expected: true, actual, held }];
  if (held) return { output: { held }, asserts };
  const evidence = { url: flow.page(context).url(), detail: JSON.stringify(actual) };
  const status = severity === 'info' ? 'advisory' : 'verified';
  flow.findings.push({ status, severity, node: id, message: problem, evidence });
  return { output: { held, severity }, asserts, failure: new RecipeError('flow_spec.graded_down', 'assertion', problem) };
}

function evaluateAssertion(flow: FlowRun, { kind, vendor = '', event }: Fields): { actual: unknown; problem?: string } {
  if (kind === 'no_console_errors') {
    const { messages: errors } = flow.pageErrors;
    if (errors.length === 0) return { actual: [] };
    return {
      actual: errors.slice(0, 20),
      problem: `${errors.length} console or page errors occurred during the flow: ${errors[0]}`,
    };
  }
  const vendorName = fillVariables(vendor, flow.variables);
  const eventName = event === undefined ? undefined : fillVariables(event, flow.variables);
  const beacons = flow.guard?.beacons ?? [];
  const actual = beacons.map((beacon) => `${beacon.vendor} ${beacon.event_name ?? '(no event)'}`);
  if (beacons.some((beacon) => isBeaconOf(beacon, vendorName, eventName))) return { actual };
  const expected = eventName === undefined ? `beacon of ${vendorName}` : `beacon ${JSON.stringify(eventName)} of ${vendorName}`;
  return { actual, problem: `No ${expected} was captured during the flow. Captured: ${actual.join(', ') || 'nothing'}.` };
}
