// Opens an empty page for encoding videos. Neither the app under test nor Playwright's report and traces show it.
import type { Browser, CDPSession } from '@playwright/test';
import { findChromiumProgram } from '../../system/browsers.js';
import { PipedChromium } from '../../system/processes/pipedChromium.js';
import type { RunPages } from '../runPages.js';

export type EncoderPage = {
  /** Runs a function in the page. Only its source text is sent. */
  call<A, R>(code: (argument: A) => R | Promise<R>, argument: A): Promise<R>;
  /** Never rejects. */
  close(): Promise<void>;
};

type Send = (method: string, params?: object) => Promise<object>;

type Listen = (method: string, listener: (params: object) => void) => void;

type EncoderSession = { send: Send; on: Listen };

/** HTTPS, because WebCodecs needs a secure context. Requests to this URL are answered here and never reach a network. */
const encoderUrl = 'https://encoder.recipewright.invalid/';

/**
 * `signal`: aborted when the page is no longer needed.
 * @throws when the browser of the run cannot be used and there is no Chromium on this machine
 */
export async function openEncoderPage(runPages: RunPages, signal: AbortSignal): Promise<EncoderPage> {
  // On any error, such as a crash, another browser is tried.
  const page = await openInRunBrowser(runPages, signal).catch(() => undefined);
  if (page) return page;
  const program = findChromiumProgram();
  if (program === undefined) throw new Error('there is no Chromium to encode the video');
  return openInOwnBrowser(program, signal);
}

/**
 * Opens the page in a browser context that Playwright does not know. Returns undefined where the page would be noticed: in an
 * attached app, in a headed browser, and when Playwright treats unknown contexts as its default one.
 */
async function openInRunBrowser(runPages: RunPages, signal: AbortSignal): Promise<EncoderPage | undefined> {
  const browser = runPages.options.isOwn ? runPages.context.browser() : null;
  if (!browser?.isConnected() || browser.browserType().name() !== 'chromium') return undefined;
  const root = await browser.newBrowserCDPSession();
  const detachRoot = async (): Promise<void> => {
    // Fails when the browser is closed; its session has ended then.
    await root.detach().catch(() => undefined);
  };
  signal.addEventListener('abort', detachRoot, { once: true });
  try {
    if (!(await canHidePage(browser, root))) {
      await detachRoot();
      return undefined;
    }
    const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true });
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const page = await prepareEncoderPage(await attachNested(root, targetId), async () => {
      await root.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);
      await detachRoot();
    });
    signal.removeEventListener('abort', detachRoot);
    return page;
  } catch (thrown) {
    await detachRoot();
    throw thrown;
  }
}

async function canHidePage(browser: Browser, root: CDPSession): Promise<boolean> {
  const { userAgent } = await root.send('Browser.getVersion');
  const { browserContextIds } = await root.send('Target.getBrowserContexts');
  return userAgent.includes('Headless') && browser.contexts().length <= browserContextIds.length;
}

/** Playwright opens no session for a page it does not know, so messages are wrapped in those of the browser's session. */
async function attachNested(root: CDPSession, targetId: string): Promise<EncoderSession> {
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: false });
  const pending = new Map<number, { resolve(result: object): void; reject(error: Error): void }>();
  const listeners = new Map<string, (params: object) => void>();
  let lastId = 0;
  const rejectAll = (): void => {
    for (const { reject } of pending.values()) reject(new Error('the encoder page was closed'));
    pending.clear();
  };
  root.on('Target.detachedFromTarget', (event) => {
    if (event.sessionId === sessionId) rejectAll();
  });
  root.on('close', rejectAll);
  root.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const { id, method = '', params = {}, result = {}, error } = JSON.parse(event.message);
    if (id === undefined) {
      listeners.get(method)?.(params);
      return;
    }
    const request = pending.get(id);
    pending.delete(id);
    if (error) request?.reject(new Error(error.message));
    else request?.resolve(result);
  });
  return {
    on: (method, listener) => void listeners.set(method, listener),
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        pending.set(id, { resolve, reject });
        root.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) }).catch(reject);
      }),
  };
}

/** Starts a headless browser for the page, and ends it with the page. */
export async function openInOwnBrowser(program: string, signal: AbortSignal): Promise<EncoderPage> {
  signal.throwIfAborted();
  const browser = new PipedChromium(program);
  const end = (): Promise<void> => browser.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    const { targetId } = (await browser.send('Target.createTarget', { url: 'about:blank' })) as { targetId: string };
    const attached = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const { sessionId } = attached as { sessionId: string };
    const session: EncoderSession = {
      send: (method, params = {}) => browser.send(method, params, sessionId),
      on: (method, listener) =>
        void browser.on('event', (name: string, params: object, from?: string) => {
          if (name === method && from === sessionId) listener(params);
        }),
    };
    return await prepareEncoderPage(session, end);
  } catch (thrown) {
    await end();
    throw thrown;
  }
}

async function prepareEncoderPage({ send, on }: EncoderSession, close: () => Promise<void>): Promise<EncoderPage> {
  on('Fetch.requestPaused', (params) => {
    const { requestId } = params as { requestId: string };
    const responseHeaders = [{ name: 'content-type', value: 'text/html' }];
    // Fails when the page is closed.
    send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body: '' }).catch(() => undefined);
  });
  const loaded = new Promise<void>((resolve) => on('Page.loadEventFired', () => resolve()));
  await send('Page.enable');
  await send('Fetch.enable');
  await send('Page.navigate', { url: encoderUrl });
  await loaded;
  return {
    close,
    async call<A, R>(code: (argument: A) => R | Promise<R>, argument: A): Promise<R> {
      const expression = `(${code})(${JSON.stringify(argument)})`;
      const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      const { result, exceptionDetails: failure } = answer as EvaluateResult<R>;
      if (failure) throw new Error(failure.exception?.description?.split('\n')[0] ?? failure.text);
      return result.value;
    },
  };
}

type EvaluateResult<R> = { result: { value: R }; exceptionDetails?: { text: string; exception?: { description?: string } } };
