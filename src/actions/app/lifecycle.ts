import type { Frame, Page, Response } from '@playwright/test';
import * as z from 'zod';
import { isChromium, openChromiumSession } from '../../browser/chromiumSession.js';
import { findSettings } from '../../browser/pageSettings.js';
import type { RunPages } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { awaitLoad } from '../ui/readPage.js';
import { currentRunPages, pageOf, withPageErrors } from '../ui/withPageErrors.js';

const command = z.enum(['reload', 'back', 'launch', 'foreground', 'background', 'terminate', 'restart']);

export const lifecycle = defineAction({
  name: 'app.lifecycle',
  description: 'Reloads, goes back, or starts, hides, shows and stops the app: state changes that no user action causes.',
  schema: z.strictObject({
    command: command
      .optional()
      .describe(
        'terminate closes its page; launch opens it again where it was opened first, restart does both. What it stored stays.',
      ),
    event: command.optional().describe('The same as command.'),
    state: command.optional().describe('The same as command.'),
    settle_ms: z.int().min(0).max(60_000).optional().describe('How long to wait afterwards.'),
  }),
  examples: [
    { description: 'Start over.', node: { action: 'app.lifecycle', command: 'restart' } },
    { description: 'Send it to the background.', node: { action: 'app.lifecycle', command: 'background' } },
  ],
  effect: 'backdoor',
  fallible: () => true,
  needs: ['page'],
  describeMissing: ({ fields }) => ((fields.command ?? fields.event ?? fields.state) === undefined ? '"command"' : undefined),
  async run(fields, context) {
    const requested = fields.command ?? fields.event ?? fields.state;
    if (requested === undefined) throw new RecipeError('action.missing_field', 'action', 'app.lifecycle needs a "command".');
    refuseIfAttached(requested, context);
    const seen = await withPageErrors(() => commands[requested](context), context);
    await settle(fields.settle_ms ?? 0, context);
    return { output: { command: requested, ...seen } };
  },
});

const commands = { reload, back, launch, foreground, background, terminate, restart };

// The app belongs to whoever started it: it goes on after the run as it went on before.
function refuseIfAttached(requested: z.infer<typeof command>, context: ActionContext): void {
  if (requested !== 'terminate' && requested !== 'restart') return;
  const { isOwn } = currentRunPages(context).options;
  if (isOwn) return;
  const message = `The app was running before the recipe and is never closed by it, so it cannot ${requested}. Use "reload", or let recipewright start the browser.`;
  throw new RecipeError('app.not_own', 'environment', message);
}

async function settle(ms: number, { clock, signal }: ActionContext): Promise<void> {
  if (ms === 0 || signal.aborted) return;
  await new Promise<void>((resume) => {
    const withdraw = clock.after(ms, resume);
    const stop = (): void => {
      withdraw();
      resume();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

// The page of an app from its opening to its end, and opened once more.

/** Where an app that was ended is opened again. */
const startUrls = new WeakMap<RunPages, string>();

async function reload(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  const response = await context.call(page, 'reload', { timeout: context.remainingMs() });
  return describeOpenedPage(page, response);
}

async function back(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  // The address says nothing: an app may have several entries with the same one.
  let hasMoved = false;
  const onNavigated = (frame: Frame): void => {
    hasMoved ||= frame === page.mainFrame();
  };
  page.on('framenavigated', onNavigated);
  try {
    const response = await context.call(page, 'goBack', { timeout: context.remainingMs(), waitUntil: 'commit' });
    if (response === null && !hasMoved)
      throw new RecipeError('app.no_history', 'action', `There is no page to go back to from ${page.url()}.`);
    await awaitLoad(context, page, { state: 'load', timeout: context.remainingMs() });
    return describeOpenedPage(page, response);
  } finally {
    page.off('framenavigated', onNavigated);
  }
}

async function terminate(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  if (page.isClosed()) return { running: false };
  startUrls.set(currentRunPages(context), await firstUrl(page));
  await context.call(page, 'close');
  return { running: false };
}

async function launch(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  const stage = currentRunPages(context);
  if (!page.isClosed() && isApp(page.url())) {
    await context.call(page, 'bringToFront');
    return { running: true, wasRunning: true, url: page.url() };
  }
  const fresh = page.isClosed() ? await stage.context.newPage() : page;
  stage.switchTo(fresh);
  await findSettings(stage)?.applyTo(fresh);
  // Without a former page it is the root of the base URL, if there is one.
  const url = startUrls.get(stage) ?? '/';
  const response = await context.call(fresh, 'goto', url, { timeout: context.remainingMs() }).catch(explainMissingStart(url));
  stage.hosts.add(new URL(fresh.url()).host);
  return { ...describeOpenedPage(fresh, response), wasRunning: false };
}

async function restart(context: ActionContext): Promise<object> {
  await terminate(context);
  return launch(context);
}

function describeOpenedPage(page: Page, response: Response | null): object {
  const status = response?.status();
  const seen = { running: true, url: page.url(), ...(status === undefined ? {} : { status }) };
  if (status === undefined || status < 400) return seen;
  throw new RecipeError('app.http_error', 'action', `${page.url()} answered with HTTP ${status}.`);
}

async function firstUrl(page: Page): Promise<string> {
  if (!isChromium(page)) return page.url();
  const { entries } = await (await openChromiumSession(page)).send('Page.getNavigationHistory');
  return entries.find(({ url }) => isApp(url))?.url ?? page.url();
}

function isApp(url: string): boolean {
  return !/^(about:|chrome:|chrome-error:|$)/.test(url);
}

function explainMissingStart(url: string): (thrown: unknown) => never {
  return (thrown) => {
    if (url !== '/' || !(thrown instanceof Error && /invalid URL/i.test(thrown.message))) throw thrown;
    const message =
      'There is no page to open: nothing was open before. Open one by ui.navigate, or give the browser a "baseURL".';
    throw new RecipeError('app.no_start', 'action', message);
  };
}

// Sends the app to the background and brings it to the front again.

async function background(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  await setLifecycleState(page, 'frozen');
  // Playwright holds the focus of every page, and Chromium then shows the page whatever it is told; so the page is told itself.
  const visible = await page.evaluate(`(${hideScript})()`);
  return { visible, url: page.url() };
}

async function foreground(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  await setLifecycleState(page, 'active');
  await context.call(page, 'bringToFront');
  currentRunPages(context).switchTo(page);
  const visible = await page.evaluate(`(${showScript})()`);
  return { visible, url: page.url() };
}

async function setLifecycleState(page: Page, state: 'frozen' | 'active'): Promise<void> {
  if (isChromium(page)) await (await openChromiumSession(page)).send('Page.setWebLifecycleState', { state });
}

const hideScript = `() => {
  if (document.visibilityState === 'visible') {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.hasFocus = () => false;
    dispatchEvent(new Event('blur'));
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    document.dispatchEvent(new Event('freeze'));
  }
  return document.visibilityState === 'visible';
}`;

const showScript = `() => {
  if (Object.hasOwn(document, 'visibilityState')) {
    document.dispatchEvent(new Event('resume'));
    delete document.visibilityState;
    delete document.hidden;
    delete document.hasFocus;
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    dispatchEvent(new Event('focus'));
  }
  return document.visibilityState === 'visible';
}`;
