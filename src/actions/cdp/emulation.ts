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
    .describe('set: emulates for all pages, later ones too, until restore or the end of the run. restore: resets everything.'),
  viewport: viewport.optional(),
  color_scheme: z.enum(['light', 'dark', 'no-preference']).optional(),
  reduced_motion: z.enum(['reduce', 'no-preference']).optional(),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'must be a language tag, such as de-DE')
    .optional(),
  timezone: z.string().refine(isTimezone, 'must be a time zone, such as Europe/Berlin').optional(),
  offline: z.boolean().optional(),
  geolocation: geolocation.optional().describe('The position of the device. The app gets the permission to read it.'),
  user_agent: z.string().min(1).optional(),
  cpu: z.number().min(1).max(50).optional().describe('The factor by which the processor is slowed down.'),
});

type Fields = z.output<typeof schema>;

export const emulation = defineAction({
  name: 'cdp.emulation',
  description: 'Emulates another device: viewport, color scheme, locale, time zone, position, processor and network.',
  schema,
  examples: [
    {
      description: 'A phone in dark mode.',
      node: { action: 'cdp.emulation', viewport: { width: 390, height: 844, deviceScaleFactor: 3 }, color_scheme: 'dark' },
    },
    { description: 'A buyer in Tokyo.', node: { action: 'cdp.emulation', locale: 'ja-JP', timezone: 'Asia/Tokyo' } },
    { description: 'Reset everything.', node: { action: 'cdp.emulation', mode: 'restore' } },
  ],
  // Emulation only chooses the device. `offline` counts as a user action, because the app has to react to it.
  effect: ({ fields }) => (fields.offline === undefined ? 'none' : 'user'),
  fallible: () => false,
  needs: ['page'],
  worksOverCdpPort: true,
  describeMissing: ({ fields: { mode = 'set', ...others } }) =>
    mode === 'set' && Object.keys(others).length === 0 ? 'something to emulate, such as "viewport"' : undefined,
  async run(fields, context) {
    const restored = fields.mode === 'restore' ? await withPageErrors(() => restoreAll(context), context) : undefined;
    const { mode, ...settingFields } = fields;
    await withPageErrors(() => setAll(settingFields, context), context);
    return { output: { ...(restored ? { restored } : {}), ...omitUndefined({ ...settingFields }) } };
  },
});

const settingNames: readonly (keyof Settings)[] = [
  ...(['viewport', 'colorScheme', 'reducedMotion', 'locale', 'timezone', 'userAgent', 'cpu'] as const),
];

async function setAll(fields: Omit<Fields, 'mode'>, context: ActionContext): Promise<void> {
  const settings = settingsOf(currentRunPages(context));
  const changes = omitUndefined({
    ...{ viewport: fields.viewport, colorScheme: fields.color_scheme, reducedMotion: fields.reduced_motion },
    ...{ locale: fields.locale?.replaceAll('_', '-'), timezone: fields.timezone, userAgent: fields.user_agent, cpu: fields.cpu },
  });
  await settings.set(changes);
  if (fields.geolocation) await settings.setGeolocation(fields.geolocation);
  if (fields.offline !== undefined) await settings.setOffline(fields.offline);
}

/** Returns the names of the settings that it reset. */
async function restoreAll(context: ActionContext): Promise<string[]> {
  const settings = settingsOf(currentRunPages(context));
  const restored: string[] = await settings.reset(settingNames);
  if (await settings.resetGeolocation()) restored.push('geolocation');
  if (settings.offline) {
    await settings.setOffline(false);
    restored.push('offline');
  }
  return restored;
}

// Chromium silently ignores an unknown time zone.
function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    // RangeError: there is no such zone.
    return false;
  }
}
