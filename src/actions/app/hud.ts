import type { Page } from '@playwright/test';
import * as z from 'zod';
import { hudOf } from '../../browser/hud/hud.js';
import { hudDisplaySchema } from '../../browser/hud/hudDisplay.js';
import { runPagesOf } from '../../browser/runPages.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { defineAction } from '../action.js';

const patienceMs = 1_000;

export const hud = defineAction({
  name: 'app.hud',
  description: 'Shows an annotation to the person who watches, until the next node. Progress is shown without it.',
  schema: z.strictObject({
    text: z.string().min(1).optional().describe('Shown in place of the intent.'),
    title: z.string().min(1).optional(),
    status: z.enum(['running', 'pass', 'fail']).optional().describe('How the line is marked; it changes no verdict.'),
    clear: z.boolean().optional().describe('Takes the HUD away.'),
    display: hudDisplaySchema.optional(),
  }),
  examples: [
    { description: 'Point at the total.', node: { action: 'app.hud', text: 'The total includes the discount' } },
    { description: 'Out of the way of a picture.', node: { action: 'app.hud', clear: true } },
  ],
  effect: 'none',
  needs: ['page'],
  async run(annotation, { fixtures, clock }) {
    const shown = hudOf(runPagesOf(fixtures.page as Page));
    // A page that hangs is the affair of the nodes that use it.
    if (shown) await succeedsWithin(clock, patienceMs, shown.annotate(annotation));
    return { output: { shown: shown !== undefined && annotation.clear !== true } };
  },
});
