// rw.flow_extract: stores the text of an element in a run variable.
import * as z from 'zod';
import { type Action, defineAction } from '../../../actions/action.js';
import { actOnElement } from '../../../actions/ui/actOnElement.js';
import { pageTimeoutMs } from '../../../actions/ui/withPageErrors.js';
import { createFlowError } from '../failureClass.js';
import type { FlowRuns } from '../run/flowRun.js';
import { fillSelector, flowTextSchema } from '../run/flowText.js';
import { reserveMs, runStep } from '../run/runStep.js';

const maxTextLength = 2_048;

export function extractAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_extract',
    description: 'Stores the visible text of an element in a run variable of a flow-spec.',
    schema: z.strictObject({ selector: flowTextSchema, into: z.string().min(1) }),
    examples: [{ description: 'Remember the order.', node: { action: 'rw.flow_extract', selector: '#order', into: 'order' } }],
    effect: 'reads',
    fallible: () => true,
    needs: ['page'],
    timeoutMs: flows.settings.stepMs + reserveMs,
    async run({ selector, into }, context) {
      const flow = flows.getRun(context);
      return runStep(flow, context, async (stepContext) => {
        const target = { selector: fillSelector(selector, flow.variables) };
        const elementText = await actOnElement(stepContext, target, (element) =>
          context.call(element, 'innerText', { timeout: pageTimeoutMs(stepContext) }),
        );
        // Run variables can appear in summaries and logs, so they must not hold a secret or a part of one.
        if (context.isSecret(elementText))
          throw createFlowError(
            'spec_step_unresolvable',
            `The text of ${target.selector} contains a secret, which must not be stored in a run variable.`,
          );
        const value = elementText.trim().slice(0, maxTextLength);
        flow.variables.set(into, value);
        return { output: { into, text: value } };
      });
    },
  });
}
