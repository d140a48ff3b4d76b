// Performs one gesture on one element with the ui.* actions. Secrets are typed without being recorded.
import type { Locator } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { actOnElement } from '../../../actions/ui/actOnElement.js';
import { keyPress } from '../../../actions/ui/keyPress.js';
import { press } from '../../../actions/ui/press.js';
import { scroll } from '../../../actions/ui/scroll.js';
import { insertSecret, setInput } from '../../../actions/ui/setInput.js';
import { pageOf, pageTimeoutMs } from '../../../actions/ui/withPageErrors.js';
import { runPagesOf } from '../../../browser/runPages.js';
import { RecipeError } from '../../../evidence/recipeError.js';

export type Gesture = { does: 'click' | 'fill' | 'press' | 'hover' | 'scroll'; value: string };

export async function performGesture(context: ActionContext, selector: string, { does, value }: Gesture): Promise<object> {
  if (does === 'click') return clickElement(context, selector);
  if (does === 'fill') return (await setInput.run({ selector, value }, context)).output as object;
  if (does === 'scroll') return (await scroll.run({ selector, scroll_into_view: true }, context)).output as object;
  if (does === 'press') return pressKey(context, selector, value);
  await actOnElement(context, { selector }, (element) => context.call(element, 'hover', { timeout: pageTimeoutMs(context) }));
  return { hovered: true, target: selector };
}

/** Clicks an element. A page that does not finish loading is no failure of the click: the next steps decide about the page. */
async function clickElement(context: ActionContext, selector: string): Promise<object> {
  try {
    return (await press.run({ selector }, context)).output as object;
  } catch (thrown) {
    if (!(thrown instanceof RecipeError) || !thrown.message.includes('click action done')) throw thrown;
    return { clicked: true, target: selector, still_loading: true };
  }
}

/** Presses a key by its name. Types the value when it is not the name of a key. */
async function pressKey(context: ActionContext, selector: string, value: string): Promise<object> {
  if (context.isSecret(value)) {
    await actOnElement(context, { selector }, (element) => typeSecret(context, element, value));
    return { typed: true, target: selector };
  }
  try {
    return (await keyPress.run({ selector, key: value }, context)).output as object;
  } catch (thrown) {
    if (!(thrown instanceof RecipeError) || thrown.code !== 'ui.unknown_key') throw thrown;
    const timeout = pageTimeoutMs(context);
    await actOnElement(context, { selector }, (element) => context.call(element, 'pressSequentially', value, { timeout }));
    return { typed: value, target: selector };
  }
}

async function typeSecret(context: ActionContext, element: Locator, value: string): Promise<void> {
  runPagesOf(pageOf(context)).addSecretField(element);
  await context.call(element, 'focus', { timeout: pageTimeoutMs(context) });
  await insertSecret(context, element, value);
}
