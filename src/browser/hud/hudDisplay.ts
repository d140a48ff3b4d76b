// What a project may choose about the look of the HUD (spec §11.1), as documents spell it.
import * as z from 'zod';

const hudLayouts = ['bottom-bar', 'docked-bottom', 'card'] as const;
const hudPositions = ['top', 'bottom', 'top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;

/** A width in CSS; anything else could be a rule of its own. */
const hudWidth = /^\d{1,5}(\.\d{1,3})?(px|em|rem|vw|%)$/;

export type HudDisplay = {
  /** A bar over the page, a bar that the page makes room for, or a box in a corner. */
  layout?: (typeof hudLayouts)[number] | undefined;
  /** A docked bar stays where it is. */
  position?: (typeof hudPositions)[number] | undefined;
  /** The title of the recipe before the intent. */
  showTitle?: boolean | undefined;
  /** Node, action, phase and claim, in a line of their own. */
  showDebug?: boolean | undefined;
  /** The node's detail, in lines of its own. */
  showDetail?: boolean | undefined;
  maxDetailLines?: number | undefined;
  /** In pixels, or as CSS says it. */
  width?: number | string | undefined;
};

/** Classes and widths for the page; what is not chosen is left to the style. */
export function toHudClasses({ layout = 'bottom-bar', position, width }: HudDisplay): {
  classes: string[];
  width: string | undefined;
} {
  const [side = 'bottom', align = 'center'] = (position ?? (layout === 'card' ? 'bottom-right' : 'bottom')).split('-');
  const classes = layout === 'docked-bottom' ? [layout] : [layout, side, align];
  const text = typeof width === 'number' ? `${Math.max(0, Math.round(width))}px` : width;
  return { classes, width: text !== undefined && hudWidth.test(text) ? text : undefined };
}

export const hudDisplaySchema = z.strictObject({
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
export function parseHudDisplay(display: HudDisplay, optionName: string): HudDisplay {
  const { success, data, error } = hudDisplaySchema.safeParse(display);
  if (success) return data;
  const [first] = error.issues;
  throw new Error(`${[optionName, ...(first?.path ?? [])].join('.')} cannot be used: ${first?.message}.`);
}
