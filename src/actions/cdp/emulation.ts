import * as z from 'zod';
import type { Settings } from '../../browser/pageSettings.js';
import { settingsOf } from '../../browser/pageSettings.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { type ActionContext, defineAction } from '../action.js';
import { currentRunPages, withPageErrors } from '../ui/withPageErrors.js';

const viewport = z.strictObject({
  width: z.int().min(1).max(10_000),
  height: z.int().min(1).max(10_000),
  deviceScaleFactor: z.number().min(0.1).max(10).optional(),
});

const geolocation = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  accuracy: z.number().min(0).optional().describe('In metres.'),
});

const schema = z.strictObject({
  mode: z
    .enum(['set', 'restore'])
    .default('set')
    .describe('What is set lasts until it is restored or the run ends, for pages that open later, too. restore takes back all.'),
  viewport: viewport.optional(),
  color_scheme: z.enum(['light', 'dark', 'no-preference']).optional(),
  reduced_motion: z.enum(['reduce', 'no-preference']).optional(),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'must be a language tag, such as de-DE')
    .optional(),
  timezone: z.string().refine(isTimezone, 'must be a time zone, such as Europe/Berlin').optional(),
  offline: z.boolean().optional(),
  geolocation: geolocation.optional().describe('Where the device is; the app is allowed to ask.'),
  user_agent: z.string().min(1).optional(),
  cpu: z.number().min(1).max(50).optional().describe('How many times slower the processor is.'),
});

type Fields = z.output<typeof schema>;

export const emulation = defineAction({
  name: 'cdp.emulation',
  description: 'Lets the browser appear as another device: viewport, color scheme, locale, time zone, place, processor, network.',
  schema,
  examples: [
    {
      description: 'A dark phone.',
      node: { action: 'cdp.emulation', viewport: { width: 390, height: 844, deviceScaleFactor: 3 }, color_scheme: 'dark' },
    },
    { description: 'A buyer in Tokyo.', node: { action: 'cdp.emulation', locale: 'ja-JP', timezone: 'Asia/Tokyo' } },
    { description: 'Itself again.', node: { action: 'cdp.emulation', mode: 'restore' } },
  ],
  // It chooses the device that the product is seen on and touches nothing of the product's. Losing the network is different:
  // the product notices it as it notices what a user does.
  effect: ({ fields }) => (fields.offline === undefined ? 'none' : 'user'),
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  describeMissing: ({ fields: { mode = 'set', ...others } }) =>
    mode === 'set' && Object.keys(others).length === 0 ? 'something to emulate, such as "viewport"' : undefined,
  async run(fields, context) {
    const restored = fields.mode === 'restore' ? await withPageErrors(() => restoreAll(context), context) : undefined;
    const { mode, ...set } = fields;
    await withPageErrors(() => setAll(set, context), context);
    return { output: { ...(restored ? { restored } : {}), ...omitUndefined({ ...set }) } };
  },
});

const settings: readonly (keyof Settings)[] = [
  ...(['viewport', 'colorScheme', 'reducedMotion', 'locale', 'timezone', 'userAgent', 'cpu'] as const),
];

async function setAll(fields: Omit<Fields, 'mode'>, context: ActionContext): Promise<void> {
  const all = settingsOf(currentRunPages(context));
  const given = omitUndefined({
    ...{ viewport: fields.viewport, colorScheme: fields.color_scheme, reducedMotion: fields.reduced_motion },
    ...{ locale: fields.locale?.replaceAll('_', '-'), timezone: fields.timezone, userAgent: fields.user_agent, cpu: fields.cpu },
  });
  await all.set(given);
  if (fields.geolocation) await all.setGeolocation(fields.geolocation);
  if (fields.offline !== undefined) await all.setOffline(fields.offline);
}

/** The names of what was set. */
async function restoreAll(context: ActionContext): Promise<string[]> {
  const all = settingsOf(currentRunPages(context));
  const restored: string[] = await all.reset(settings);
  if (await all.resetGeolocation()) restored.push('geolocation');
  if (all.offline) {
    await all.setOffline(false);
    restored.push('offline');
  }
  return restored;
}

// Chromium accepts any text without a word and keeps its own zone.
function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    // RangeError: there is no such zone.
    return false;
  }
}
