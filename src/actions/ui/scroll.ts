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
    delta_y: z.number().optional().describe('In CSS pixels, down. Default: 600 if delta_x is not set either.'),
    scroll_into_view: z
      .boolean()
      .optional()
      .describe('Scrolls all containers around the element until the element is in the middle of the viewport.'),
    into_view: z.boolean().optional().describe('The same as scroll_into_view.'),
  }),
  examples: [
    { description: 'Scroll a row into view.', node: { action: 'ui.scroll', test_id: 'asset-row-9', scroll_into_view: true } },
    { description: 'Scroll a list down.', node: { action: 'ui.scroll', test_id: 'asset-list', delta_y: 800 } },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeMissing: (node) => {
    const { scroll_into_view: intoView, into_view: intoViewAlias, name } = node.fields;
    return (intoView ?? intoViewAlias) === true || name !== undefined ? describeMissingTarget(node) : undefined;
  },
  async run({ delta_x: x, delta_y: y, scroll_into_view: intoView, into_view: intoViewAlias, ...targetFields }, context) {
    const target = withText(targetFields);
    if (intoView ?? intoViewAlias) return { output: await scrollIntoView(context, target) };
    const delta = x === undefined && y === undefined ? { x: 0, y: 600 } : { x: x ?? 0, y: y ?? 0 };
    return { output: await scrollByDistance(context, target, delta) };
  },
});

async function scrollIntoView(context: ActionContext, target: Target): Promise<object> {
  const position = await actOnElement(context, target, async (element) => {
    await context.call(element, 'scrollIntoViewIfNeeded', { timeout: pageTimeoutMs(context) });
    return evaluateOnElement(context.call, element, { run: scrollToMiddle, argument: undefined });
  });
  const output = { scrolled: true, into_view: true, target: describeTarget(target), x: position.x, y: position.y };
  if (position.isInView) return output;
  const message = `${describeTarget(target)} stays outside the viewport at ${position.x}, ${position.y} after scrolling. Check whether a container clips it.`;
  throw new RecipeError('ui.not_in_view', 'action', message);
}

async function scrollByDistance(context: ActionContext, target: Target, delta: Delta): Promise<object> {
  const description = describeTarget(target);
  const scrollElement = (element: Locator) =>
    evaluateOnElement(context.call, element, { run: scrollBy, argument: delta, timeoutMs: pageTimeoutMs(context) });
  const isPage = description === '';
  const root = pageOf(context).locator(':root');
  const result = await (isPage
    ? withPageErrors(() => scrollElement(root), context)
    : actOnElement(context, target, scrollElement));
  if (result) return { scrolled: true, ...(isPage ? {} : { target: description }), ...result };
  const message = `${description} does not scroll, and neither does an element in it or around it. Use the container that scrolls as the target.`;
  throw new RecipeError('ui.not_scrollable', 'action', message);
}
