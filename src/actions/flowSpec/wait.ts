import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../action.js';
import { drive, patienceMs } from '../ui/drive.js';
import { readSelector, text } from './fields.js';
import { flowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { performStep } from './performStep.js';

export function waitAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_wait',
    description: 'Waits for a while, or until an element of a flow-spec is visible.',
    schema: z.strictObject({ ms: z.int().min(1).max(30_000).optional(), for: text.optional() }),
    examples: [{ description: 'Wait for the dashboard.', node: { action: 'rw.flow_wait', for: '[data-testid=dashboard]' } }],
    effect: 'reads',
    fallible: ({ for: selector }) => selector !== undefined,
    needs: ['page'],
    timeoutMs: ({ fields }) => (typeof fields.ms === 'number' ? fields.ms + 2_000 : 30_000),
    lacks: ({ fields }) =>
      (fields.ms === undefined) === (fields.for === undefined) ? 'exactly one of "ms" and "for"' : undefined,
    async run({ ms, for: selector }, context) {
      const flow = flows.of(context);
      return performStep(flow, context, async () => {
        if (selector !== undefined) return { output: await appear(flow, context, readSelector(selector, flow.variables)) };
        await pause(context, ms ?? 1);
        return { output: { waited_ms: ms } };
      });
    },
  });
}

async function appear(flow: FlowRun, context: ActionContext, selector: string): Promise<object> {
  const page = flow.page(context);
  const shown = page.locator(selector).filter({ visible: true }).first();
  await drive(() => context.call(shown, 'waitFor', { state: 'visible', timeout: patienceMs(context) }), context).catch(
    (thrown: unknown) => {
      const said = thrown instanceof Error ? thrown.message : String(thrown);
      throw flowError('spec_step_unresolvable', `${selector} did not appear on ${page.url()}.\n${said}`, thrown);
    },
  );
  return { appeared: selector };
}

function pause({ clock, signal }: ActionContext, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const withdraw = clock.after(ms, resolve);
    const stop = (): void => {
      withdraw();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
