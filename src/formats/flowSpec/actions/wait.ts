import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
import { drive, patienceMs } from '../../../actions/ui/drive.js';
import { readSelector, text } from './fields.js';
import { asFlowError, flowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { performStep } from './performStep.js';
import { reserveMs } from './withPatience.js';

export function waitAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_wait',
    description: 'Waits for a while, or until an element of a flow-spec is visible.',
    schema: z.strictObject({ ms: z.int().min(1).max(30_000).optional(), for: text.optional() }),
    examples: [{ description: 'Wait for the dashboard.', node: { action: 'rw.flow_wait', for: '[data-testid=dashboard]' } }],
    effect: 'reads',
    fallible: ({ for: selector }) => selector !== undefined,
    needs: ['page'],
    timeoutMs: ({ fields }) => (typeof fields.ms === 'number' ? fields.ms : flows.settings.stepMs) + reserveMs,
    lacks: ({ fields }) =>
      (fields.ms === undefined) === (fields.for === undefined) ? 'exactly one of "ms" and "for"' : undefined,
    async run({ ms, for: selector }, context) {
      const flow = flows.of(context);
      return performStep(flow, context, async (patient) => {
        if (selector !== undefined) return { output: await appear(flow, patient, readSelector(selector, flow.variables)) };
        await pause(context, ms ?? 1);
        return { output: { waited_ms: ms } };
      });
    },
  });
}

async function appear(flow: FlowRun, context: ActionContext, selector: string): Promise<object> {
  const page = flow.page(context);
  const shown = page.locator(selector).filter({ visible: true }).first();
  const waiting = (): Promise<void> => context.call(shown, 'waitFor', { state: 'visible', timeout: patienceMs(context) });
  await drive(waiting, context).catch((thrown: unknown) => {
    const error = asFlowError(thrown);
    if (error.kind !== 'action') throw error;
    throw flowError('spec_step_unresolvable', `${selector} did not appear on ${page.url()}.\n${error.message}`, error);
  });
  flow.login.judged();
  return { appeared: selector };
}
