// rw.flow_act: one gesture on an element, found by its pinned selector or by its description.
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { withPageErrors } from '../../../actions/ui/withPageErrors.js';
import type { RecipeError } from '../../../evidence/recipeError.js';
import { toFlowError } from '../failureClass.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillSelector, fillVariables, flowTextSchema } from '../run/flowText.js';
import { resolverFixture } from '../run/resolverQuota.js';
import { assertLoginNotRejected, reserveMs, runStep } from '../run/runStep.js';
import { type ActOutcome, actOnTarget } from './actOnTarget.js';
import { type Gesture, performGesture } from './performGesture.js';

const schema = z.strictObject({
  does: z.enum(['click', 'fill', 'press', 'hover', 'scroll']),
  selector: flowTextSchema.optional().describe('CSS or text=…. It is tried first.'),
  target: flowTextSchema
    .optional()
    .describe('A description of the element. It is used when the selector does not find the element.'),
  value: flowTextSchema.optional().describe('The text to type, or the key to press. It can contain secrets.'),
});

type Fields = z.output<typeof schema>;

/** Returns the timeout for the pinned selector when the step also has a description. */
function getSelectorWaitMs({ settings }: FlowRun): number {
  return Math.min(3_000, settings.stepMs / 3);
}

export function actAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_act',
    description:
      'Performs one browser action of a flow-spec on the element that "selector" matches, or else on the element that "target" describes.',
    schema,
    examples: [{ description: 'Sign up.', node: { action: 'rw.flow_act', does: 'click', target: 'the sign-up button' } }],
    effect: 'user',
    fallible: () => true,
    needs: ['page'],
    optionalNeeds: ({ fields }) => (fields.target === undefined ? [] : [resolverFixture]),
    timeoutMs: flows.settings.stepMs + reserveMs,
    secretFields: ['value'],
    describeMissing: ({ fields }) => ((fields.selector ?? fields.target) === undefined ? '"selector" or "target"' : undefined),
    async run(fields, context) {
      const flow = flows.getRun(context);
      return runStep(flow, context, async (stepContext) => {
        await assertLoginNotRejected(flow, stepContext);
        const { output, actedSelector } = await actOnElement(flow, stepContext, fields);
        await trackLogin(flow, stepContext, { fields, actedSelector });
        return { output };
      });
    },
  });
}

async function actOnElement(flow: FlowRun, context: ActionContext, fields: Fields): Promise<ActOutcome> {
  const value = fields.value === undefined ? '' : fillVariables(fields.value, flow.variables);
  const gesture = { does: fields.does, value };
  const target = fields.target === undefined ? undefined : fillVariables(fields.target, flow.variables);
  const pinned = fields.selector === undefined ? undefined : fillSelector(fields.selector, flow.variables);
  if (pinned === undefined) return actOnTarget(flow, context, { gesture, target: target ?? '' });
  if (target === undefined) return actOnSelector(context, pinned, gesture);
  if (!(await isSelectorVisible(flow, context, pinned))) return actOnTarget(flow, context, { gesture, target, pinned });
  try {
    return await actOnSelector(context, pinned, gesture);
  } catch (thrown) {
    const error = toFlowError(thrown);
    // With several matches, the gesture touched none of them. After any other error, it may have touched the element.
    if ((error.cause as RecipeError | undefined)?.code !== 'ui.ambiguous') throw error;
    return actOnTarget(flow, context, { gesture, target, pinned });
  }
}

async function actOnSelector(context: ActionContext, pinned: string, gesture: Gesture): Promise<ActOutcome> {
  return { output: { ...(await performGesture(context, pinned, gesture)), by: 'selector' }, actedSelector: pinned };
}

/** Uses a short timeout. The gesture itself may take longer: a click waits for the page that it opens. */
async function isSelectorVisible(flow: FlowRun, context: ActionContext, selector: string): Promise<boolean> {
  const element = flow.page(context).locator(selector).filter({ visible: true }).first();
  const timeout = getSelectorWaitMs(flow);
  const waitUntilVisible = (): Promise<void> => context.call(element, 'waitFor', { state: 'visible', timeout });
  return withPageErrors(waitUntilVisible, context).then(
    () => true,
    (thrown: RecipeError) => (thrown.code === 'ui.refused' ? false : Promise.reject(thrown)),
  );
}

type ActDetails = { fields: Fields; actedSelector: string };

/** Tells the login tracker about typed secrets, and about clicks and keys that may submit the form. */
async function trackLogin(flow: FlowRun, context: ActionContext, { fields, actedSelector }: ActDetails): Promise<void> {
  const { does, value } = fields;
  const isSecret = value !== undefined && context.isSecret(fillVariables(value, flow.variables));
  if (isSecret)
    await flow.login.trackTypedSecret(flow.page(context).locator(actedSelector).filter({ visible: true }), context.call);
  else if (does === 'click' || does === 'press') flow.login.trackPossibleSubmit();
}
