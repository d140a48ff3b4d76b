// rw.flow_close: writes the reports of a flow and closes its browser context.
import * as z from 'zod';
import { type Action, defineAction } from '../../../actions/action.js';
import { captureReports, summarizeRun } from '../run/flowReport.js';
import type { FlowRuns } from '../run/flowRun.js';

export function closeAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_close',
    description: 'Writes findings.json and beacons.json of a flow-spec, and closes its browser context.',
    schema: z.strictObject({}),
    examples: [{ description: 'End it.', node: { action: 'rw.flow_close' } }],
    effect: 'none',
    captures: true,
    async run(_, context) {
      const flow = flows.findRun(context);
      if (!flow) return { output: { run: { status: 'never opened' } } };
      flows.endRun(context);
      const result = { output: { run: summarizeRun(flow), findings: flow.findings.length }, artifacts: captureReports(flow) };
      await flow.close();
      return result;
    },
  });
}
