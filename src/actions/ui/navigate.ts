import * as z from 'zod';
import { RecipeError } from '../../evidence/failure.js';
import { defineAction } from '../action.js';
import { drive, pageOf } from './target.js';

// A page that the recipe itself writes would prove whatever it says.
const address = z
  .string()
  .regex(
    /^(?!\s*(data|javascript|blob|about|view-source):)\S/i,
    'must be a page of the app: a URL with http or https, or a path',
  );

export const navigate = defineAction({
  name: 'ui.navigate',
  description: 'Opens a page, by URL or by a path under the base URL, and waits until it has loaded.',
  schema: z.strictObject({
    url: address.optional(),
    target: address.optional().describe('The same as url.'),
    params: z.record(z.string(), z.unknown()).optional().describe('Of the route, where a project names its routes.'),
  }),
  examples: [{ description: 'Open the cart.', node: { action: 'ui.navigate', url: '/cart' } }],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  cannot: ({ fields }) => (fields.params === undefined ? undefined : 'params of a route'),
  lacks: ({ fields }) => ((fields.url ?? fields.target) === undefined ? '"url"' : undefined),
  async run(fields, context) {
    const url = fields.url ?? fields.target;
    if (url === undefined) throw new RecipeError('ui.no_target', 'action', 'ui.navigate needs a url.');
    const page = pageOf(context);
    const response = await drive(() => context.call(page, 'goto', url, { timeout: context.remainingMs() }));
    const status = response?.status();
    const output = { url: page.url(), ...(status === undefined ? {} : { status }) };
    if (status === undefined || status < 400) return { output };
    return { output, failure: new RecipeError('ui.http_error', 'action', `${page.url()} answered with HTTP ${status}.`) };
  },
});
