// Waits for the URL, the load state or a window event of the page.
import { evaluateInPage } from '../../browser/pageCalls.js';
import { refuseBlankPage, refuseErrorPage } from '../../browser/pageFacts.js';
import type { ActionContext } from '../action.js';
import { awaitLoad, readPageState, retryOnNewPage } from './readPage.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

/** `expected`: a part of the URL, or a pattern for the whole URL if it contains `*`. */
export async function awaitUrl(context: ActionContext, expected: string): Promise<undefined> {
  const page = pageOf(context);
  const matches = expected.includes('*') ? expected : ({ href }: URL) => href.includes(expected);
  await withPageErrors(
    () => context.call(page, 'waitForURL', matches, { waitUntil: 'commit', timeout: pageTimeoutMs(context) }),
    context,
  );
  await refuseWrongPage(context, 'compare with the expected URL');
}

/** Refuses blank and error pages. An error page can have the expected URL. */
export async function refuseWrongPage(context: ActionContext, purpose: string): Promise<void> {
  refuseBlankPage(pageOf(context).url(), purpose);
  refuseErrorPage(await readPageState(context), purpose);
}

export async function awaitEvent(context: ActionContext, event: string): Promise<object | undefined> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), 'wait for an event on');
  const timeout = pageTimeoutMs(context);
  if (event === 'networkidle') await withPageErrors(() => context.call(page, 'waitForLoadState', event, { timeout }), context);
  else if (event === 'load' || event === 'domcontentloaded')
    await withPageErrors(() => awaitLoad(context, page, { state: event, timeout }), context);
  else return withPageErrors(() => awaitWindowEvent(context, event), context);
  return undefined;
}

async function awaitWindowEvent(context: ActionContext, event: string): Promise<object> {
  const page = pageOf(context);
  const waitInPage = () =>
    evaluateInPage(context.call, page, { run: listen, argument: { event, timeoutMs: pageTimeoutMs(context) } });
  const windowEvent = await retryOnNewPage(context, waitInPage);
  if (windowEvent) return windowEvent;
  throw new Error(`Timeout: window received no ${JSON.stringify(event)} event while the node was waiting.`);
}

type WindowEvent = { event: string; detail?: unknown };
type WindowEventRequest = { event: string; timeoutMs: number };

/** Runs in the page. */
const listen = ({ event, timeoutMs }: WindowEventRequest): Promise<WindowEvent | null> => {
  const window = globalThis as unknown as {
    addEventListener(name: string, listener: (event: { detail?: unknown }) => void, options: object): void;
    setTimeout(callback: () => void, ms: number): number;
  };
  return new Promise((resolve) => {
    const onEvent = ({ detail }: { detail?: unknown }): void => {
      const isPlain = ['string', 'number', 'boolean'].includes(typeof detail);
      resolve(isPlain ? { event, detail } : { event });
    };
    window.addEventListener(event, onEvent, { once: true, capture: true });
    window.setTimeout(() => resolve(null), timeoutMs);
  });
};
