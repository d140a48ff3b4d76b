import * as z from 'zod';
import { type Action, defineAction } from '../../../actions/action.js';
import type { Flows } from './flowRun.js';
import { capturesOf, runOf } from './report.js';

export function closeAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_close',
    description: 'Writes findings.json and beacons.json of a flow-spec, and closes its browser context.',
    schema: z.strictObject({}),
    examples: [{ description: 'End it.', node: { action: 'rw.flow_close' } }],
    effect: 'none',
    captures: true,
    async run(_, context) {
      const flow = flows.find(context);
      if (!flow) return { output: { run: { status: 'never opened' } } };
      flows.end(context);
      const result = { output: { run: runOf(flow), findings: flow.findings.length }, artifacts: capturesOf(flow) };
      await flow.close();
      return result;
    },
  });
}
