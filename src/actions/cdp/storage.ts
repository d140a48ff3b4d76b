import type { Cookie, Frame, Page } from '@playwright/test';
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import { type Action, type ActionContext, defineAction } from '../action.js';
import { currentRunPages, pageOf, withPageErrors } from '../ui/withPageErrors.js';

const schema = z.strictObject({
  mode: z.enum(['get', 'set', 'remove', 'clear']).default('get'),
  area: z.enum(['local', 'session', 'cookies']).default('local'),
  key: z.string().min(1).optional().describe('The name of the entry or cookie. Without it, get reads all.'),
  value: z.unknown().optional().describe('For set. A value that is not a string is stored as JSON.'),
  origin: z
    .string()
    .regex(/^https?:\/\/[^/]+\/?$/, 'must be an origin, such as https://shop.example')
    .optional()
    .describe('The origin of a frame in the page, or any origin for cookies. Default: the origin of the page.'),
});

type StorageFields = z.output<typeof schema>;

export const storage: Action = defineAction({
  name: 'cdp.storage',
  description: 'Reads or changes the storage and cookies of the app. A change is a backdoor and not allowed in a proof.',
  schema,
  examples: [
    {
      description: 'The app has stored the cart.',
      node: {
        ...{ action: 'cdp.storage', mode: 'get', area: 'local', key: 'cart' },
        assert: { path: '$.found', operator: 'eq', value: true },
      },
    },
    {
      description: 'Start with two mugs in the cart.',
      node: { action: 'cdp.storage', mode: 'set', area: 'local', key: 'cart', value: { mug: 2 } },
    },
    { description: 'Start signed out.', node: { action: 'cdp.storage', mode: 'clear', area: 'cookies' } },
  ],
  effect: ({ fields }) => (fields.mode === undefined || fields.mode === 'get' ? 'reads' : 'backdoor'),
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  describeMissing({ fields: { mode = 'get', key, value } }) {
    if (mode === 'set' && (key === undefined || value === undefined)) return '"key" and "value"';
    return mode === 'remove' && key === undefined ? '"key"' : undefined;
  },
  async run(fields, context) {
    const perform = (fields.area === 'cookies' ? cookieActions : itemActions)[fields.mode];
    return { output: { area: fields.area, ...(await perform(fields, context)) } };
  },
});

type StorageAction = (fields: StorageFields, context: ActionContext) => Promise<object>;
type StorageActions = Readonly<Record<StorageFields['mode'], StorageAction>>;

const itemActions: StorageActions = { get: getItems, set: setItem, remove: removeItem, clear: clearItems };
const cookieActions: StorageActions = { get: getCookies, set: setCookie, remove: removeCookie, clear: clearCookies };

// localStorage and sessionStorage of the page or of one of its frames.

/** Further items are only counted. */
const maxShownItems = 100;

async function getItems({ area, key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  if (key !== undefined) {
    const text = await evaluateInFrame<string | null>(frame, `${storageObject(area)}.getItem(${JSON.stringify(key)})`, context);
    return { key, found: text !== null, ...(text === null ? {} : describeValue(text)) };
  }
  const all = await evaluateInFrame<[string, string][]>(frame, `Object.entries(${storageObject(area)})`, context);
  const entries = all.slice(0, maxShownItems).map(([name, text]) => [name, describeValue(text).value]);
  return { count: all.length, entries: Object.fromEntries(entries) };
}

async function setItem({ area, key = '', value, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  await evaluateInFrame(
    frame,
    `${storageObject(area)}.setItem(${JSON.stringify(key)}, ${JSON.stringify(toStoredText(value))})`,
    context,
  );
  return { key, set: true };
}

async function removeItem({ area, key = '', origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  const name = storageObject(area);
  const script = `(() => { const had = ${name}.getItem(${JSON.stringify(key)}) !== null; ${name}.removeItem(${JSON.stringify(key)}); return had; })()`;
  return { key, removed: await evaluateInFrame<boolean>(frame, script, context) };
}

async function clearItems({ area, origin }: StorageFields, context: ActionContext): Promise<object> {
  const frame = frameOf(pageOf(context), origin);
  const script = `(() => { const { length } = ${storageObject(area)}; ${storageObject(area)}.clear(); return length; })()`;
  return { cleared: await evaluateInFrame<number>(frame, script, context) };
}

function storageObject(area: StorageFields['area']): string {
  return area === 'session' ? 'sessionStorage' : 'localStorage';
}

async function evaluateInFrame<T>(frame: Frame, script: string, context: ActionContext): Promise<T> {
  try {
    const read: unknown = await withPageErrors(() => frame.evaluate(script), context);
    return read as T;
  } catch (thrown) {
    if (!(thrown instanceof RecipeError && /SecurityError|Access is denied|opaque origin/.test(thrown.message))) throw thrown;
    const message = `${frame.url()} has no storage. Open a page of the app first.`;
    throw new RecipeError('cdp.no_storage', 'action', message, undefined, { cause: thrown });
  }
}

function frameOf(page: Page, origin: string | undefined): Frame {
  if (origin === undefined) return page.mainFrame();
  const wantedOrigin = new URL(origin).origin;
  const origins = page.frames().map((frame) => originOf(frame.url()));
  const frame = page.frames()[origins.indexOf(wantedOrigin)];
  if (frame) return frame;
  const message = `The page has no frame with the origin ${wantedOrigin}, only with ${[...new Set(origins)].join(', ')}. Open a page that has one first.`;
  throw new RecipeError('cdp.no_origin', 'action', message);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

// Cookies of an origin. Values of httpOnly cookies stay out of the output, because they are often credentials.

async function getCookies({ key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const all = await cookiesOf(origin, context);
  if (key === undefined) return { count: all.length, names: all.map(({ name }) => name) };
  const cookie = all.find(({ name }) => name === key);
  if (!cookie) return { key, found: false };
  const { httpOnly, secure, sameSite, domain, path, expires } = cookie;
  const value = httpOnly ? {} : describeValue(cookie.value);
  return { key, found: true, ...value, httpOnly, secure, sameSite, domain, path, expires };
}

async function setCookie({ key = '', value, origin }: StorageFields, context: ActionContext): Promise<object> {
  const url = cookieUrl(origin, context);
  await withPageErrors(
    () => currentRunPages(context).context.addCookies([{ name: key, value: toStoredText(value), url }]),
    context,
  );
  return { key, set: true };
}

async function removeCookie({ key, origin }: StorageFields, context: ActionContext): Promise<object> {
  const removed = (await cookiesOf(origin, context)).filter(({ name }) => name === key);
  await deleteCookies(removed, context);
  return { key, removed: removed.length > 0 };
}

/** Deletes only the cookies of the origin, because an attached app may be signed in on other sites. */
async function clearCookies({ origin }: StorageFields, context: ActionContext): Promise<object> {
  const all = await cookiesOf(origin, context);
  await deleteCookies(all, context);
  return { cleared: all.length };
}

async function deleteCookies(cookies: readonly Cookie[], context: ActionContext): Promise<void> {
  for (const { name, domain, path } of cookies)
    await withPageErrors(() => currentRunPages(context).context.clearCookies({ name, domain, path }), context);
}

async function cookiesOf(origin: string | undefined, context: ActionContext): Promise<Cookie[]> {
  const url = cookieUrl(origin, context);
  return withPageErrors(() => currentRunPages(context).context.cookies(url), context);
}

function cookieUrl(origin: string | undefined, context: ActionContext): string {
  const url = origin ?? pageOf(context).url();
  if (/^https?:/.test(url)) return url;
  throw new RecipeError('cdp.no_storage', 'action', `${url} has no cookies. Open a page of the app first, or add an "origin".`);
}

/** Longer values are cut, because the output is part of the journal. */
const maxCharacters = 20_000;

function toStoredText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

/** `json`: the parsed value, for a JSON object or array. */
function describeValue(text: string): { value: string; json?: unknown; wasTruncated?: true } {
  if (text.length > maxCharacters) return { value: text.slice(0, maxCharacters), wasTruncated: true };
  const json = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  return json === undefined ? { value: text } : { value: text, json };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: the string only starts like JSON.
    return undefined;
  }
}
