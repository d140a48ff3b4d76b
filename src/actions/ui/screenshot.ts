import * as z from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { type Capture, defineAction } from '../action.js';
import { drive, pageOf } from './target.js';

export const screenshot = defineAction({
  name: 'ui.screenshot',
  description: 'Takes a picture of the page as evidence.',
  schema: z.strictObject({
    path: z
      .string()
      .regex(/^(?!.*\.\.)[\w][\w./-]*\.[a-z]+$/i, 'must be a relative path with an ending, such as screenshots/total.png')
      .optional(),
    label: z.string().optional(),
    full_page: z.boolean().optional().describe('The whole page, not only what is in view.'),
    category: z.string().default('evidence'),
  }),
  examples: [
    { description: 'Show the total.', node: { action: 'ui.screenshot', path: 'screenshots/AC1-total.png', label: 'AC1 total' } },
  ],
  effect: 'reads',
  captures: true,
  fallible: () => true,
  needs: ['page'],
  cannot: ({ fields: { path = '.png', full_page: full } }) =>
    full ? 'full_page' : String(path).endsWith('.png') ? undefined : 'a picture that is no .png',
  async run(fields, context) {
    const page = pageOf(context);
    const url = page.url();
    if (/^(about:blank|chrome-error:)/.test(url)) {
      throw new RecipeError('ui.no_page', 'action', `There is no page to take a picture of: ${url} is shown.`);
    }
    const body = await drive(() => context.call(page, 'screenshot', { timeout: context.remainingMs() }));
    const path = fields.path ?? `screenshots/${context.path.replace(/[^\w.-]/g, '-')}.png`;
    const target = context.node.proofTarget === undefined ? {} : { proofTarget: context.node.proofTarget };
    const { category, label = 'UI screenshot' } = fields;
    const capture: Capture = { path, type: 'screenshot', category, label, mimeType: 'image/png', ...target, body };
    return { output: { captured: true, path, url }, artifacts: [capture] };
  },
});
