// Cookies of an origin. Those that the page itself cannot read are not shown either: they let others in.
import type { Cookie } from '@playwright/test';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { currentStage } from '../app/currentStage.js';
import { drive, pageOf } from '../ui/drive.js';
import type { StorageFields } from './storage.js';
import { shownValue, storedText } from './storedValue.js';

export async function getCookies({ key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const all = await cookiesOf(origin, context);
  if (key === undefined) return { count: all.length, names: all.map(({ name }) => name) };
  const cookie = all.find(({ name }) => name === key);
  if (!cookie) return { key, found: false };
  const { httpOnly, secure, sameSite, domain, path, expires } = cookie;
  const shown = httpOnly ? {} : shownValue(cookie.value);
  return { key, found: true, ...shown, httpOnly, secure, sameSite, domain, path, expires };
}

export async function setCookie({ key = '', value, origin }: StorageFields, context: ActionContext): Promise<object> {
  const url = urlOf(origin, context);
  await drive(() => currentStage(context).context.addCookies([{ name: key, value: storedText(value), url }]), context);
  return { key, set: true };
}

export async function removeCookie({ key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const removed = (await cookiesOf(origin, context)).filter(({ name }) => name === key);
  await drop(removed, context);
  return { key, removed: removed.length > 0 };
}

/** Only those of the origin: an app that was attached to may be signed in elsewhere. */
export async function clearCookies({ origin }: StorageFields, context: ActionContext): Promise<object> {
  const all = await cookiesOf(origin, context);
  await drop(all, context);
  return { cleared: all.length };
}

async function drop(cookies: readonly Cookie[], context: ActionContext): Promise<void> {
  for (const { name, domain, path } of cookies)
    await drive(() => currentStage(context).context.clearCookies({ name, domain, path }), context);
}

async function cookiesOf(origin: string | undefined, context: ActionContext): Promise<Cookie[]> {
  const url = urlOf(origin, context);
  return drive(() => currentStage(context).context.cookies(url), context);
}

function urlOf(origin: string | undefined, context: ActionContext): string {
  const url = origin ?? pageOf(context).url();
  if (/^https?:/.test(url)) return url;
  throw new RecipeError('cdp.no_storage', 'action', `${url} has no cookies. Open a page of the app first, or give an "origin".`);
}
