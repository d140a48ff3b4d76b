import type { Locator } from '@playwright/test';
import * as z from 'zod';
import { evaluateOnElement } from '../../browser/pageCalls.js';
import { type Delta, scrollBy, scrollToMiddle } from '../../browser/scrolling.js';
import { describeTarget, type Target } from '../../browser/target.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { actOnElement } from './actOnElement.js';
import { describeMissingTarget, targetFields, withText } from './targetFields.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export const scroll = defineAction({
  name: 'ui.scroll',
  description: 'Scrolls the page or a container by a distance, or an element into view.',
  schema: z.strictObject({
    ...targetFields,
    delta_x: z.number().optional().describe('In CSS pixels, to the right.'),
    delta_y: z.number().optional().describe('In CSS pixels, down; 600 when neither distance is given.'),
    scroll_into_view: z
      .boolean()
      .optional()
      .describe('Scrolls whatever lies around the element until it is in the middle of the view.'),
    into_view: z.boolean().optional().describe('The same as scroll_into_view.'),
  }),
  examples: [
    { description: 'Show the row.', node: { action: 'ui.scroll', test_id: 'asset-row-9', scroll_into_view: true } },
    { description: 'Scroll the list.', node: { action: 'ui.scroll', test_id: 'asset-list', delta_y: 800 } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeMissing: (node) => {
    const { scroll_into_view: shown, into_view: also, name } = node.fields;
    return (shown ?? also) === true || name !== undefined ? describeMissingTarget(node) : undefined;
  },
  async run({ delta_x: x, delta_y: y, scroll_into_view: shown, into_view: also, ...named }, context) {
    const target = withText(named);
    if (shown ?? also) return { output: await scrollIntoView(context, target) };
    const delta = x === undefined && y === undefined ? { x: 0, y: 600 } : { x: x ?? 0, y: y ?? 0 };
    return { output: await scrollByDistance(context, target, delta) };
  },
});

async function scrollIntoView(context: ActionContext, target: Target): Promise<object> {
  const where = await actOnElement(context, target, async (element) => {
    await context.call(element, 'scrollIntoViewIfNeeded', { timeout: pageTimeoutMs(context) });
    return evaluateOnElement(context.call, element, { run: scrollToMiddle, argument: undefined });
  });
  const output = { scrolled: true, into_view: true, target: describeTarget(target), x: where.x, y: where.y };
  if (where.isInView) return output;
  const message = `${describeTarget(target)} cannot be scrolled into view: it stays at ${where.x}, ${where.y}. Something around it cuts it off.`;
  throw new RecipeError('ui.not_in_view', 'action', message);
}

async function scrollByDistance(context: ActionContext, target: Target, delta: Delta): Promise<object> {
  const what = describeTarget(target);
  const scrollIt = (element: Locator) =>
    evaluateOnElement(context.call, element, { run: scrollBy, argument: delta, timeoutMs: pageTimeoutMs(context) });
  const isPage = what === '';
  const root = pageOf(context).locator(':root');
  const moved = await (isPage ? withPageErrors(() => scrollIt(root), context) : actOnElement(context, target, scrollIt));
  if (moved) return { scrolled: true, ...(isPage ? {} : { target: what }), ...moved };
  const message = `${what} does not scroll: neither it nor anything in it or around it has more content than room. Name the container that scrolls.`;
  throw new RecipeError('ui.not_scrollable', 'action', message);
}
