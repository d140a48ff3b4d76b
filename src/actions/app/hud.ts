import * as z from 'zod';
import { declareAction } from '../action.js';

const display = z.strictObject({
  layout: z.enum(['bottom-bar', 'docked-bottom', 'card']).optional(),
  position: z.string().optional(),
  showTitle: z.boolean().optional(),
  showDebug: z.boolean().optional(),
  showDetail: z.boolean().optional(),
  maxDetailLines: z.int().min(0).optional(),
  width: z.union([z.number(), z.string()]).optional(),
});

export const hud = declareAction({
  name: 'app.hud',
  description: 'Shows an annotation to the person who watches. Progress is shown without it.',
  schema: z.strictObject({
    text: z.string().min(1).optional().describe('Shown in place of the intent.'),
    title: z.string().min(1).optional(),
    status: z.enum(['running', 'pass', 'fail']).optional(),
    clear: z.boolean().optional().describe('Takes the HUD away.'),
    display: display.optional(),
  }),
  examples: [{ description: 'Point at the total.', node: { action: 'app.hud', text: 'The total includes the discount' } }],
  effect: 'none',
  needs: ['page'],
});
