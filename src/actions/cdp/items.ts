// localStorage and sessionStorage, as the page or one of its frames sees them.
import type { Frame, Page } from '@playwright/test';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { drive, pageOf } from '../ui/drive.js';
import type { StorageFields } from './storage.js';
import { shownValue, storedText } from './storedValue.js';

/** More are counted, not shown. */
const mostShown = 100;

export async function getItems({ area, key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  if (key !== undefined) {
    const text = await inFrame<string | null>(frame, `${nameOf(area)}.getItem(${JSON.stringify(key)})`, context);
    return { key, found: text !== null, ...(text === null ? {} : shownValue(text)) };
  }
  const all = await inFrame<[string, string][]>(frame, `Object.entries(${nameOf(area)})`, context);
  const shown = all.slice(0, mostShown).map(([name, text]) => [name, shownValue(text).value]);
  return { count: all.length, entries: Object.fromEntries(shown) };
}

export async function setItem({ area, key = '', value, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  await inFrame(frame, `${nameOf(area)}.setItem(${JSON.stringify(key)}, ${JSON.stringify(storedText(value))})`, context);
  return { key, set: true };
}

export async function removeItem({ area, key = '', origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  const name = nameOf(area);
  const script = `(() => { const had = ${name}.getItem(${JSON.stringify(key)}) !== null; ${name}.removeItem(${JSON.stringify(key)}); return had; })()`;
  return { key, removed: await inFrame<boolean>(frame, script, context) };
}

export async function clearItems({ area, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  const script = `(() => { const { length } = ${nameOf(area)}; ${nameOf(area)}.clear(); return length; })()`;
  return { cleared: await inFrame<number>(frame, script, context) };
}

function nameOf(area: StorageFields['area']): string {
  return area === 'session' ? 'sessionStorage' : 'localStorage';
}

async function inFrame<T>(frame: Frame, script: string, context: ActionContext): Promise<T> {
  try {
    const read: unknown = await drive(() => frame.evaluate(script), context);
    return read as T;
  } catch (thrown) {
    if (!(thrown instanceof RecipeError && /SecurityError|Access is denied|opaque origin/.test(thrown.message))) throw thrown;
    const message = `${frame.url()} has no storage of its own. Open a page of the app first.`;
    throw new RecipeError('cdp.no_storage', 'action', message, undefined, { cause: thrown });
  }
}

function frameOf(page: Page, origin: string | undefined): Frame {
  if (origin === undefined) return page.mainFrame();
  const wanted = new URL(origin).origin;
  const origins = page.frames().map((frame) => originOf(frame.url()));
  const found = page.frames()[origins.indexOf(wanted)];
  if (found) return found;
  const message = `The page has no frame of ${wanted}; there are ${[...new Set(origins)].join(', ')}. Open a page of that origin first.`;
  throw new RecipeError('cdp.no_origin', 'action', message);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
