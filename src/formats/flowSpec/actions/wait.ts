// rw.flow_wait: waits for a time or for an element.
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { sleep } from '../../../actions/sleep.js';
import { pageTimeoutMs, withPageErrors } from '../../../actions/ui/withPageErrors.js';
import { createFlowError, toFlowError } from '../failureClass.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillSelector, flowTextSchema } from '../run/flowText.js';
import { reserveMs, runStep } from '../run/runStep.js';

export function waitAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_wait',
    description: 'Waits for a time, or until an element of a flow-spec is visible.',
    schema: z.strictObject({ ms: z.int().min(1).max(30_000).optional(), for: flowTextSchema.optional() }),
    examples: [{ description: 'Wait for the dashboard.', node: { action: 'rw.flow_wait', for: '[data-testid=dashboard]' } }],
    effect: 'reads',
    fallible: ({ for: selector }) => selector !== undefined,
    needs: ['page'],
    timeoutMs: ({ fields }) => (typeof fields.ms === 'number' ? fields.ms : flows.settings.stepMs) + reserveMs,
    describeMissing: ({ fields }) =>
      (fields.ms === undefined) === (fields.for === undefined) ? 'exactly one of "ms" and "for"' : undefined,
    async run({ ms, for: selector }, context) {
      const flow = flows.getRun(context);
      return runStep(flow, context, async (stepContext) => {
        if (selector !== undefined)
          return { output: await waitForElement(flow, stepContext, fillSelector(selector, flow.variables)) };
        await sleep(context, ms ?? 1);
        return { output: { waited_ms: ms } };
      });
    },
  });
}

async function waitForElement(flow: FlowRun, context: ActionContext, selector: string): Promise<object> {
  const page = flow.page(context);
  const element = page.locator(selector).filter({ visible: true }).first();
  const timeout = pageTimeoutMs(context);
  const waitUntilVisible = (): Promise<void> => context.call(element, 'waitFor', { state: 'visible', timeout });
  await withPageErrors(waitUntilVisible, context).catch((thrown: unknown) => {
    const error = toFlowError(thrown);
    if (error.kind !== 'action') throw error;
    throw createFlowError('spec_step_unresolvable', `${selector} did not appear on ${page.url()}.\n${error.message}`, error);
  });
  flow.login.markOutcomeChecked();
  return { appeared: selector };
}
