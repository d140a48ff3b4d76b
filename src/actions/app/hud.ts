import type { Page } from '@playwright/test';
import * as z from 'zod';
import { hudOf } from '../../browser/hud/hud.js';
import { hudDisplaySchema } from '../../browser/hud/hudDisplay.js';
import { runPagesOf } from '../../browser/runPages.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { defineAction } from '../action.js';

const timeoutMs = 1_000;

export const hud = defineAction({
  name: 'app.hud',
  description: 'Shows an annotation in the HUD until the next node begins. The HUD shows the progress even without this action.',
  schema: z.strictObject({
    text: z.string().min(1).optional().describe('Replaces the intent.'),
    title: z.string().min(1).optional(),
    status: z
      .enum(['running', 'pass', 'fail'])
      .optional()
      .describe('The status that the HUD shows. The verdict does not change.'),
    clear: z.boolean().optional().describe('Hides the HUD.'),
    display: hudDisplaySchema.optional(),
  }),
  examples: [
    { description: 'Point at the total.', node: { action: 'app.hud', text: 'The total includes the discount' } },
    { description: 'Hide the HUD before a screenshot.', node: { action: 'app.hud', clear: true } },
  ],
  effect: 'none',
  needs: ['page'],
  async run(annotation, { fixtures, clock }) {
    const hud = hudOf(runPagesOf(fixtures.page as Page));
    // A page that hangs must not fail this node. The nodes that use the page report it.
    if (hud) await succeedsWithin(clock, timeoutMs, hud.annotate(annotation));
    return { output: { shown: hud !== undefined && annotation.clear !== true } };
  },
});
