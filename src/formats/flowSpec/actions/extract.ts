import * as z from 'zod';
import { type Action, defineAction } from '../../../actions/action.js';
import { patienceMs } from '../../../actions/ui/drive.js';
import { onElement } from '../../../actions/ui/onElement.js';
import { readSelector, text } from './fields.js';
import { flowError } from './flowError.js';
import type { Flows } from './flowRun.js';
import { performStep } from './performStep.js';
import { reserveMs } from './withPatience.js';

const longest = 2_048;

export function extractAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_extract',
    description: 'Keeps the visible text of an element as a run variable of a flow-spec.',
    schema: z.strictObject({ selector: text, into: z.string().min(1) }),
    examples: [{ description: 'Remember the order.', node: { action: 'rw.flow_extract', selector: '#order', into: 'order' } }],
    effect: 'reads',
    fallible: () => true,
    needs: ['page'],
    timeoutMs: flows.settings.stepMs + reserveMs,
    async run({ selector, into }, context) {
      const flow = flows.of(context);
      return performStep(flow, context, async (patient) => {
        const target = { selector: readSelector(selector, flow.variables) };
        const said = await onElement(patient, target, (element) =>
          context.call(element, 'innerText', { timeout: patienceMs(patient) }),
        );
        // A run variable may stand in summaries and logs, so that it cannot hold a secret, or the half of one.
        if (context.isSecret(said))
          throw flowError('spec_step_unresolvable', `The text of ${target.selector} holds a secret, which no run variable may.`);
        const value = said.trim().slice(0, longest);
        flow.variables.set(into, value);
        return { output: { into, text: value } };
      });
    },
  });
}
