import type { Frame, Page, Response } from '@playwright/test';
import * as z from 'zod';
import { isChromium, openChromiumSession } from '../../browser/chromiumSession.js';
import { findSettings } from '../../browser/pageSettings.js';
import type { RunPages } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { sleep } from '../sleep.js';
import { awaitLoad } from '../ui/readPage.js';
import { currentRunPages, pageOf, withPageErrors } from '../ui/withPageErrors.js';

const command = z.enum(['reload', 'back', 'launch', 'foreground', 'background', 'terminate', 'restart']);

export const lifecycle = defineAction({
  name: 'app.lifecycle',
  description: 'Reloads, goes back, starts, hides, shows or stops the app: state changes that no user action causes.',
  schema: z.strictObject({
    command: command
      .optional()
      .describe(
        'terminate closes the page of the app, launch opens its first URL again, and restart does both. Stored data stays.',
      ),
    event: command.optional().describe('The same as command.'),
    state: command.optional().describe('The same as command.'),
    settle_ms: z.int().min(0).max(60_000).optional().describe('The time to wait afterwards, in milliseconds.'),
  }),
  examples: [
    { description: 'Restart the app.', node: { action: 'app.lifecycle', command: 'restart' } },
    { description: 'Send the app to the background.', node: { action: 'app.lifecycle', command: 'background' } },
  ],
  effect: 'backdoor',
  fallible: () => true,
  needs: ['page'],
  describeMissing: ({ fields }) => ((fields.command ?? fields.event ?? fields.state) === undefined ? '"command"' : undefined),
  async run(fields, context) {
    const requested = fields.command ?? fields.event ?? fields.state;
    if (requested === undefined) throw new RecipeError('action.missing_field', 'action', 'app.lifecycle needs a "command".');
    refuseIfAttached(requested, context);
    const state = await withPageErrors(() => commands[requested](context), context);
    if (fields.settle_ms) await sleep(context, fields.settle_ms);
    return { output: { command: requested, ...state } };
  },
});

const commands = { reload, back, launch, foreground, background, terminate, restart };

// An attached app keeps running after the run.
function refuseIfAttached(requested: z.infer<typeof command>, context: ActionContext): void {
  if (requested !== 'terminate' && requested !== 'restart') return;
  const { isOwn } = currentRunPages(context).options;
  if (isOwn) return;
  const message = `app.lifecycle cannot ${requested} an app that was running before the recipe. Use "reload", or let recipewright start the browser.`;
  throw new RecipeError('app.not_own', 'environment', message);
}

/** The URL that `launch` opens after the page of the app was closed. */
const startUrls = new WeakMap<RunPages, string>();

async function reload(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  const response = await context.call(page, 'reload', { timeout: context.remainingMs() });
  return describeOpenedPage(page, response);
}

async function back(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  // Comparing URLs is not enough, because several history entries can have the same URL.
  let hasMoved = false;
  const onNavigated = (frame: Frame): void => {
    hasMoved ||= frame === page.mainFrame();
  };
  page.on('framenavigated', onNavigated);
  try {
    const response = await context.call(page, 'goBack', { timeout: context.remainingMs(), waitUntil: 'commit' });
    if (response === null && !hasMoved)
      throw new RecipeError(
        'app.no_history',
        'action',
        `There is no page to go back to from ${page.url()}. Open another page first.`,
      );
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
  const runPages = currentRunPages(context);
  if (!page.isClosed() && isApp(page.url())) {
    await context.call(page, 'bringToFront');
    return { running: true, wasRunning: true, url: page.url() };
  }
  const startPage = page.isClosed() ? await runPages.context.newPage() : page;
  runPages.switchTo(startPage);
  await findSettings(runPages)?.applyTo(startPage);
  // If no page was open before, launch opens the root of the base URL.
  const url = startUrls.get(runPages) ?? '/';
  const response = await context.call(startPage, 'goto', url, { timeout: context.remainingMs() }).catch(explainMissingStart(url));
  runPages.hosts.add(new URL(startPage.url()).host);
  return { ...describeOpenedPage(startPage, response), wasRunning: false };
}

async function restart(context: ActionContext): Promise<object> {
  await terminate(context);
  return launch(context);
}

function describeOpenedPage(page: Page, response: Response | null): object {
  const status = response?.status();
  const state = { running: true, url: page.url(), ...(status === undefined ? {} : { status }) };
  if (status === undefined || status < 400) return state;
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
      'app.lifecycle found no page to launch, because no page was open before. Open one with ui.navigate, or set "baseURL" for the browser.';
    throw new RecipeError('app.no_start', 'action', message);
  };
}

// Hides the app and shows it again.

async function background(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  await setLifecycleState(page, 'frozen');
  // Playwright gives every page the focus, so Chromium reports each page as visible. A script in the page fakes the events.
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
