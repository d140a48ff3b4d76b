import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { drive } from '../../../actions/ui/drive.js';
import type { RecipeError } from '../../../evidence/failure.js';
import { type Acted, byWords } from './byWords.js';
import { readSelector, readText, text } from './fields.js';
import { asFlowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { type Gesture, perform } from './perform.js';
import { performStep } from './performStep.js';
import { notRejected } from './rejectionOf.js';
import { resolverFixture } from './targetResolver.js';
import { reserveMs } from './withPatience.js';

const schema = z.strictObject({
  does: z.enum(['click', 'fill', 'press', 'hover', 'scroll']),
  selector: text.optional().describe('CSS or text=…; it is tried first.'),
  target: text.optional().describe('What it is in words, for when the selector does not find it.'),
  value: text.optional().describe('What is typed, or the key that is pressed. It may hold secrets.'),
});

type Fields = z.output<typeof schema>;

/** How long the pinned selector is waited for when there are words to fall back on. */
function pinnedMs({ settings }: FlowRun): number {
  return Math.min(3_000, settings.stepMs / 3);
}

export function actAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_act',
    description: 'One browser action of a flow-spec, on the pinned selector or else on what its description means.',
    schema,
    examples: [{ description: 'Sign up.', node: { action: 'rw.flow_act', does: 'click', target: 'the sign-up button' } }],
    effect: 'user',
    fallible: () => true,
    needs: ['page'],
    wants: ({ fields }) => (fields.target === undefined ? [] : [resolverFixture]),
    timeoutMs: flows.settings.stepMs + reserveMs,
    secretFields: ['value'],
    lacks: ({ fields }) => ((fields.selector ?? fields.target) === undefined ? '"selector" or "target"' : undefined),
    async run(fields, context) {
      const flow = flows.of(context);
      return performStep(flow, context, async (patient) => {
        await notRejected(flow, patient);
        const { output, finds } = await act(flow, patient, fields);
        await noteLogin(flow, patient, { fields, finds });
        return { output };
      });
    },
  });
}

async function act(flow: FlowRun, context: ActionContext, fields: Fields): Promise<Acted> {
  const value = fields.value === undefined ? '' : readText(fields.value, flow.variables);
  const gesture = { does: fields.does, value };
  const target = fields.target === undefined ? undefined : readText(fields.target, flow.variables);
  const pinned = fields.selector === undefined ? undefined : readSelector(fields.selector, flow.variables);
  if (pinned === undefined) return byWords(flow, context, { gesture, target: target ?? '' });
  if (target === undefined) return bySelector(context, pinned, gesture);
  if (!(await isThere(flow, context, pinned))) return byWords(flow, context, { gesture, target, pinned });
  try {
    return await bySelector(context, pinned, gesture);
  } catch (thrown) {
    const error = asFlowError(thrown);
    // Of several nobody was touched; anything else may have happened to the one there is.
    if ((error.cause as RecipeError | undefined)?.code !== 'ui.ambiguous') throw error;
    return byWords(flow, context, { gesture, target, pinned });
  }
}

async function bySelector(context: ActionContext, pinned: string, gesture: Gesture): Promise<Acted> {
  return { output: { ...(await perform(context, pinned, gesture)), by: 'selector' }, finds: pinned };
}

/** Apart from the gesture, which may take longer: a click waits for the page that it leads to. */
async function isThere(flow: FlowRun, context: ActionContext, selector: string): Promise<boolean> {
  const shown = flow.page(context).locator(selector).filter({ visible: true }).first();
  const waiting = (): Promise<void> => context.call(shown, 'waitFor', { state: 'visible', timeout: pinnedMs(flow) });
  return drive(waiting, context).then(
    () => true,
    (thrown: RecipeError) => (thrown.code === 'ui.refused' ? false : Promise.reject(thrown)),
  );
}

type Done = { fields: Fields; finds: string };

/** After a secret was typed, a click or a key may send the form. */
async function noteLogin(flow: FlowRun, context: ActionContext, { fields, finds }: Done): Promise<void> {
  const { does, value } = fields;
  const isSecret = value !== undefined && context.isSecret(readText(value, flow.variables));
  if (isSecret) await flow.login.typedInto(flow.page(context).locator(finds).filter({ visible: true }), context.call);
  else if (does === 'click' || does === 'press') flow.login.acted();
}
