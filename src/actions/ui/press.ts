import * as z from 'zod';
import { evaluateInPage } from '../../browser/pageCalls.js';
import { describeTarget, type Target } from '../../browser/target.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { actOnElement } from './actOnElement.js';
import { dialogFields, withDialogAnswer } from './dialogAnswer.js';
import { describeMissingTarget, pointFields, targetFields, withText } from './targetFields.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export const press = defineAction({
  name: 'ui.press',
  description: 'Clicks an element as a user does, after waiting until the element is visible and enabled.',
  schema: z.strictObject({ ...targetFields, ...pointFields, ...dialogFields }),
  examples: [
    { description: 'Press a button by its test id.', node: { action: 'ui.press', test_id: 'submit-button' } },
    { description: 'Press a link by its accessible name.', node: { action: 'ui.press', role: 'link', name: 'Terms' } },
    { description: 'Press "Delete" and accept the dialog.', node: { action: 'ui.press', text: 'Delete', dialog: 'accept' } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeMissing: (node) => describeMissingTarget(node, ['text', 'label', 'x']),
  async run({ dialog, x, y, ...target }, context) {
    const point = x === undefined || y === undefined ? undefined : { x, y };
    return { output: await withDialogAnswer(context, dialog, () => click(context, withText(target), point)) };
  },
});

type Point = { x: number; y: number };

async function click(context: ActionContext, target: Target, point: Point | undefined): Promise<Record<string, unknown>> {
  const description = describeTarget(target);
  if (description === '' && point) {
    await pressAt(context, point);
    return { clicked: true, target: `the point ${point.x}, ${point.y}` };
  }
  const options = point ? { position: point } : {};
  try {
    await actOnElement(context, target, (element) =>
      context.call(element, 'click', { timeout: pageTimeoutMs(context), ...options }),
    );
  } catch (thrown) {
    if (!closedItsPage(thrown)) throw thrown;
    return { clicked: true, target: description, closed_page: true };
  }
  return { clicked: true, target: description };
}

/** Whether the click closed its page, as buttons in popups often do. */
function closedItsPage(thrown: unknown): boolean {
  return thrown instanceof RecipeError && thrown.code === 'ui.page_closed' && thrown.message.includes('performing click action');
}

async function pressAt(context: ActionContext, { x, y }: Point): Promise<void> {
  await withPageErrors(async () => {
    const page = pageOf(context);
    await refuseOutsideView(context, { x, y });
    await context.call(page.mouse, 'click', x, y);
  }, context);
}

/** Refuses a point outside the viewport, where no user can press. */
export async function refuseOutsideView(context: ActionContext, { x, y }: Point): Promise<void> {
  const page = pageOf(context);
  const { width, height } =
    page.viewportSize() ?? (await evaluateInPage(context.call, page, { run: readViewportSize, argument: undefined }));
  if (x < width && y < height) return;
  const message = `The point ${x}, ${y} is outside the viewport of ${width} × ${height}. Scroll with ui.scroll, or use an element as the target.`;
  throw new RecipeError('ui.outside_view', 'action', message);
}

/** Runs in the page. */
const readViewportSize = (): { width: number; height: number } => {
  const { innerWidth, innerHeight } = globalThis as unknown as { innerWidth: number; innerHeight: number };
  return { width: innerWidth, height: innerHeight };
};
