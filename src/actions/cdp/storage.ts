import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../action.js';
import { clearCookies, getCookies, removeCookie, setCookie } from './cookies.js';
import { clearItems, getItems, removeItem, setItem } from './items.js';

const schema = z.strictObject({
  mode: z.enum(['get', 'set', 'remove', 'clear']).default('get'),
  area: z.enum(['local', 'session', 'cookies']).default('local'),
  key: z.string().min(1).optional().describe('Which one; get without it gives all.'),
  value: z.unknown().optional().describe('For set. What is no text is stored as JSON.'),
  origin: z
    .string()
    .regex(/^https?:\/\/[^/]+\/?$/, 'must be an origin, such as https://shop.example')
    .optional()
    .describe('Of a frame of the page, or, for cookies, any; else the origin of the page.'),
});

export type StorageFields = z.output<typeof schema>;

export const storage: Action = defineAction({
  name: 'cdp.storage',
  description: 'Reads or changes what the browser keeps for the app. Changing it is a backdoor, so it has no place in a proof.',
  schema,
  examples: [
    {
      description: 'The cart is remembered.',
      node: {
        ...{ action: 'cdp.storage', mode: 'get', area: 'local', key: 'cart' },
        assert: { path: '$.found', operator: 'eq', value: true },
      },
    },
    {
      description: 'Begin with a cart.',
      node: { action: 'cdp.storage', mode: 'set', area: 'local', key: 'cart', value: { mug: 2 } },
    },
    { description: 'Begin as a stranger.', node: { action: 'cdp.storage', mode: 'clear', area: 'cookies' } },
  ],
  effect: ({ fields }) => (fields.mode === undefined || fields.mode === 'get' ? 'reads' : 'backdoor'),
  // It judges nothing: only an assertion on what it gives can fail.
  fallible: () => false,
  needs: ['page'],
  overPort: true,
  lacks({ fields: { mode = 'get', key, value } }) {
    if (mode === 'set' && (key === undefined || value === undefined)) return '"key" and "value"';
    return mode === 'remove' && key === undefined ? '"key"' : undefined;
  },
  async run(fields, context) {
    const perform = (fields.area === 'cookies' ? ofCookies : ofItems)[fields.mode];
    return { output: { area: fields.area, ...(await perform(fields, context)) } };
  },
});

type Perform = (fields: StorageFields, context: ActionContext) => Promise<object>;
type Performs = Readonly<Record<StorageFields['mode'], Perform>>;

const ofItems: Performs = { get: getItems, set: setItem, remove: removeItem, clear: clearItems };
const ofCookies: Performs = { get: getCookies, set: setCookie, remove: removeCookie, clear: clearCookies };
