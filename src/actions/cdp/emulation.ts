import * as z from 'zod';
import { declareAction } from '../action.js';

const viewport = z.strictObject({
  width: z.int().min(1),
  height: z.int().min(1),
  deviceScaleFactor: z.number().min(0.1).optional(),
});

export const emulation = declareAction({
  name: 'cdp.emulation',
  description: 'Lets the browser appear as another device: viewport, color scheme, locale, time zone, network.',
  schema: z.strictObject({
    viewport: viewport.optional(),
    color_scheme: z.enum(['light', 'dark', 'no-preference']).optional(),
    reduced_motion: z.enum(['reduce', 'no-preference']).optional(),
    locale: z.string().min(1).optional(),
    timezone: z.string().min(1).optional(),
    offline: z.boolean().optional(),
  }),
  examples: [
    {
      description: 'A dark phone.',
      node: { action: 'cdp.emulation', viewport: { width: 390, height: 844 }, color_scheme: 'dark' },
    },
  ],
  effect: 'none',
  needs: ['page'],
});
