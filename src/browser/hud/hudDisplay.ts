// The display options of the HUD (spec §11.1), with their schema.
import * as z from 'zod';

const hudLayouts = ['bottom-bar', 'docked-bottom', 'card'] as const;
const hudPositions = ['top', 'bottom', 'top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;

/** A CSS width. Anything else could inject CSS. */
const hudWidth = /^\d{1,5}(\.\d{1,3})?(px|em|rem|vw|%)$/;

export type HudDisplay = {
  /** A bar over the page, a bar beside the page content, or a box in a corner. */
  layout?: (typeof hudLayouts)[number] | undefined;
  /** Ignored by a docked bar. */
  position?: (typeof hudPositions)[number] | undefined;
  /** Shows the title of the recipe before the intent. */
  showTitle?: boolean | undefined;
  /** Shows run path, action, phase and claim in a line below. */
  showDebug?: boolean | undefined;
  /** Shows the detail of the node in lines below. */
  showDetail?: boolean | undefined;
  maxDetailLines?: number | undefined;
  /** In pixels, or as a CSS width. */
  width?: number | string | undefined;
};

/** Returns the CSS classes and width of the HUD. With an undefined width, the style sheet decides. */
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
  layout: z.enum(hudLayouts).optional().describe('A bar over the page, a bar below the page content, or a box in a corner.'),
  position: z.enum(hudPositions).optional().describe('Ignored by docked-bottom.'),
  showTitle: z.boolean().optional(),
  showDebug: z.boolean().optional().describe('Shows the path, action, phase and claim of the node.'),
  showDetail: z.boolean().optional(),
  maxDetailLines: z.int().min(0).max(20).optional(),
  width: z
    .union([z.number().min(0), z.string().regex(hudWidth, 'must be a width such as 480, 480px or 50%')])
    .optional()
    .describe('A number of pixels, or a CSS width such as 50%.'),
});

/** @throws when a value is invalid */
export function parseHudDisplay(display: HudDisplay, optionName: string): HudDisplay {
  const { success, data, error } = hudDisplaySchema.safeParse(display);
  if (success) return data;
  const [first] = error.issues;
  throw new Error(`${[optionName, ...(first?.path ?? [])].join('.')} is invalid: ${first?.message}.`);
}
