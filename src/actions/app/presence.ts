// Sends the app to the background and brings it to the front again.
import type { Page } from '@playwright/test';
import { isChromium, openChromiumSession } from '../../browser/chromiumSession.js';
import type { ActionContext } from '../action.js';
import { pageOf } from '../ui/drive.js';
import { currentStage } from './currentStage.js';

export async function background(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  await setState(page, 'frozen');
  // Playwright holds the focus of every page, and Chromium then shows the page whatever it is told; so the page is told itself.
  const visible = await page.evaluate(`(${hide})()`);
  return { visible, url: page.url() };
}

export async function foreground(context: ActionContext): Promise<object> {
  const page = pageOf(context);
  await setState(page, 'active');
  await context.call(page, 'bringToFront');
  currentStage(context).switchTo(page);
  const visible = await page.evaluate(`(${show})()`);
  return { visible, url: page.url() };
}

async function setState(page: Page, state: 'frozen' | 'active'): Promise<void> {
  if (isChromium(page)) await (await openChromiumSession(page)).send('Page.setWebLifecycleState', { state });
}

const hide = `() => {
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

const show = `() => {
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
