// Waits for what happens to the page as a whole: its address, its life, the events it sends.
import { evaluateInPage } from '../../browser/pageCalls.js';
import { refuseBlankPage, refuseErrorPage } from '../../browser/pageFacts.js';
import type { ActionContext } from '../action.js';
import { awaitLoad, readPageState, retryOnNewPage } from './readPage.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

export async function awaitUrl(context: ActionContext, wanted: string): Promise<undefined> {
  const page = pageOf(context);
  const matches = wanted.includes('*') ? wanted : ({ href }: URL) => href.includes(wanted);
  await withPageErrors(
    () => context.call(page, 'waitForURL', matches, { waitUntil: 'commit', timeout: pageTimeoutMs(context) }),
    context,
  );
  await refuseWrongPage(context, 'take for the one that was asked for');
}

/** An address is also that of the error page a server sends for it. */
export async function refuseWrongPage(context: ActionContext, purpose: string): Promise<void> {
  refuseBlankPage(pageOf(context).url(), purpose);
  refuseErrorPage(await readPageState(context), purpose);
}

export async function awaitEvent(context: ActionContext, event: string): Promise<object | undefined> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), 'listen to');
  const timeout = pageTimeoutMs(context);
  if (event === 'networkidle') await withPageErrors(() => context.call(page, 'waitForLoadState', event, { timeout }), context);
  else if (event === 'load' || event === 'domcontentloaded')
    await withPageErrors(() => awaitLoad(context, page, { state: event, timeout }), context);
  else return withPageErrors(() => awaitWindowEvent(context, event), context);
  return undefined;
}

async function awaitWindowEvent(context: ActionContext, event: string): Promise<object> {
  const page = pageOf(context);
  const listening = () =>
    evaluateInPage(context.call, page, { run: listen, argument: { event, timeoutMs: pageTimeoutMs(context) } });
  const received = await retryOnNewPage(context, listening);
  if (received) return received;
  throw new Error(`Timeout: the page sent no ${JSON.stringify(event)} to window since the node began to wait.`);
}

type WindowEvent = { event: string; detail?: unknown };
type WindowEventRequest = { event: string; timeoutMs: number };

/** Runs in the page. */
const listen = ({ event, timeoutMs }: WindowEventRequest): Promise<WindowEvent | null> => {
  const window = globalThis as unknown as {
    addEventListener(name: string, hear: (sent: { detail?: unknown }) => void, options: object): void;
    setTimeout(then: () => void, ms: number): number;
  };
  return new Promise((resolve) => {
    const hear = ({ detail }: { detail?: unknown }): void => {
      const isPlain = ['string', 'number', 'boolean'].includes(typeof detail);
      resolve(isPlain ? { event, detail } : { event });
    };
    window.addEventListener(event, hear, { once: true, capture: true });
    window.setTimeout(() => resolve(null), timeoutMs);
  });
};
