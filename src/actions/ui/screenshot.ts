import * as z from 'zod';
import type { Capture } from '../../evidence/journal.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { takePicture } from './takePicture.js';
import { placeFields } from './target.js';

const path = z
  .string()
  .regex(/^(?!.*\.\.)[\w][\w./-]*\.[a-z]+$/i, 'must be a relative path with an ending, such as screenshots/total.png');
const length = z.number().gt(0);
const text = z.string().min(1).optional();

export const screenshotSchema = z.strictObject({
  path: path.optional().describe('In the package; screenshots/<node>.png when it is left out.'),
  label: z.string().optional(),
  full_page: z.boolean().optional().describe('The whole page, not only what is in view.'),
  clip: z
    .strictObject({ x: z.number().min(0), y: z.number().min(0), width: length, height: length })
    .optional()
    .describe('A part of the view, or of the page with full_page, in CSS pixels.'),
  mask: z
    .array(z.strictObject({ ...placeFields, text, label: text }))
    .optional()
    .describe(
      'Elements to paint over. Fields for passwords, fields that were filled with a secret and texts that show one always are.',
    ),
  url: text.describe('The address the page must have, or a part of it; with * in it, a pattern for all of it.'),
  category: z.string().default('evidence'),
});

export const screenshot = defineAction({
  name: 'ui.screenshot',
  description:
    'Takes a picture of the page as evidence. An error page, a page behind another one or a picture of one colour is none.',
  schema: screenshotSchema,
  examples: [
    { description: 'Show the total.', node: { action: 'ui.screenshot', path: 'screenshots/AC1-total.png', label: 'AC1 total' } },
    { description: 'All of the order.', node: { action: 'ui.screenshot', full_page: true, mask: [{ test_id: 'card-number' }] } },
  ],
  effect: 'reads',
  captures: true,
  fallible: () => true,
  needs: ['page'],
  cannot: ({ fields: { path: given = '.png' } }) =>
    /\.png$|\{\{/i.test(String(given)) ? undefined : 'a picture that is no .png',
  async run(fields, context) {
    const path = fields.path ?? `screenshots/${context.path.replace(/[^\w.-]/g, '-')}.png`;
    if (!/\.png$/i.test(path)) throw notPng(path);
    const { body, withHud, facts } = await takePicture(fields, context);
    const pictures = [captureOf(fields, context, { path, body })];
    if (withHud) pictures.push(captureOf(fields, context, { path: path.replace(/\.png$/i, '-hud.png'), body: withHud }));
    const { status: _, hasPassword: __, ...page } = facts;
    return { output: { captured: true, path, ...page }, artifacts: pictures };
  },
});

type Fields = z.output<typeof screenshotSchema>;

function captureOf(
  { category, label = 'UI screenshot' }: Fields,
  { node }: ActionContext,
  file: { path: string; body: Uint8Array },
): Capture {
  const target = node.proofTarget === undefined ? {} : { proofTarget: node.proofTarget };
  const isRaw = !file.path.endsWith('-hud.png');
  return {
    ...file,
    type: 'screenshot',
    category,
    label: isRaw ? label : `${label}, with the HUD`,
    mimeType: 'image/png',
    ...target,
  };
}

function notPng(path: string): RecipeError {
  return new RecipeError(
    'ui.not_png',
    'action',
    `A picture is kept as PNG, not as ${JSON.stringify(path)}. Give it a path that ends in .png.`,
  );
}
