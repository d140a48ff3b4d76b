import * as z from 'zod';
import { type HudDisplay, hudLayouts, hudPositions, hudWidth } from './display.js';

export const hudDisplay = z.strictObject({
  layout: z
    .enum(hudLayouts)
    .optional()
    .describe('A bar over the page, a bar that the page makes room for, or a box in a corner.'),
  position: z.enum(hudPositions).optional().describe('A docked bar stays at the bottom.'),
  showTitle: z.boolean().optional(),
  showDebug: z.boolean().optional().describe('Node, action, phase and claim.'),
  showDetail: z.boolean().optional(),
  maxDetailLines: z.int().min(0).max(20).optional(),
  width: z
    .union([z.number().min(0), z.string().regex(hudWidth, 'must be a width such as 480, 480px or 50%')])
    .optional()
    .describe('In pixels, or with a unit.'),
});

/** @throws when a project chose something that there is not */
export function checkedDisplay(given: HudDisplay, by: string): HudDisplay {
  const { success, data, error } = hudDisplay.safeParse(given);
  if (success) return data;
  const [first] = error.issues;
  throw new Error(`${[by, ...(first?.path ?? [])].join('.')} cannot be used: ${first?.message}.`);
}
