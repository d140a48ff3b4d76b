// The page of an app from its opening to its end, and opened once more.
import type { Frame, Page, Response } from '@playwright/test';
import { isChromium, openChromiumSession } from '../../browser/chromiumSession.js';
import { findSettings } from '../../browser/pageSettings.js';
import type { RunPages } from '../../browser/runPages.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { awaitLoad } from '../ui/awaitLoad.js';
import { pageOf } from '../ui/drive.js';
import { currentStage } from './currentStage.js';

/** Where an app that was ended is opened again. */
const startOf = new WeakMap<RunPages, string>();

export async function reload(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  const response = await context.call(page, 'reload', { timeout: context.remainingMs() });
  return opened(page, response);
}

export async function back(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  // The address says nothing: an app may have several entries with the same one.
  let hasMoved = false;
  const moved = (frame: Frame): void => {
    hasMoved ||= frame === page.mainFrame();
  };
  page.on('framenavigated', moved);
  try {
    const response = await context.call(page, 'goBack', { timeout: context.remainingMs(), waitUntil: 'commit' });
    if (response === null && !hasMoved)
      throw new RecipeError('app.no_history', 'action', `There is no page to go back to from ${page.url()}.`);
    await awaitLoad(context, page, { state: 'load', timeout: context.remainingMs() });
    return opened(page, response);
  } finally {
    page.off('framenavigated', moved);
  }
}

export async function terminate(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  if (page.isClosed()) return { running: false };
  startOf.set(currentStage(context), await firstUrl(page));
  await context.call(page, 'close');
  return { running: false };
}

export async function launch(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  const stage = currentStage(context);
  if (!page.isClosed() && isApp(page.url())) {
    await context.call(page, 'bringToFront');
    return { running: true, wasRunning: true, url: page.url() };
  }
  const fresh = page.isClosed() ? await stage.context.newPage() : page;
  stage.switchTo(fresh);
  await findSettings(stage)?.applyTo(fresh);
  // Without a former page it is the root of the base URL, if there is one.
  const url = startOf.get(stage) ?? '/';
  const response = await context.call(fresh, 'goto', url, { timeout: context.remainingMs() }).catch(noStart(url));
  stage.hosts.add(new URL(fresh.url()).host);
  return { ...opened(fresh, response), wasRunning: false };
}

export async function restart(context: ActionContext): Promise<object> {
  await terminate(context);
  return launch(context);
}

function opened(page: Page, response: Response | null): object {
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

function noStart(url: string): (thrown: unknown) => never {
  return (thrown) => {
    if (url !== '/' || !(thrown instanceof Error && /invalid URL/i.test(thrown.message))) throw thrown;
    const message =
      'There is no page to open: nothing was open before. Open one by ui.navigate, or give the browser a "baseURL".';
    throw new RecipeError('app.no_start', 'action', message);
  };
}
