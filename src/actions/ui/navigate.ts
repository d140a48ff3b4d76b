import * as z from 'zod';
import { runPagesOf } from '../../browser/runPages.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { withSameStack } from './actOnElement.js';
import { dialogFields, withDialogAnswer } from './dialogAnswer.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

// Refuses URLs whose content the recipe itself could write, such as data URLs: such a page proves nothing.
const address = z
  .string()
  .regex(/^(?!\s*(data|javascript|blob|about|view-source):)\S/i, 'must be an http or https URL or a path');

export const navigate = defineAction({
  name: 'ui.navigate',
  description: 'Opens a URL, or a path below the base URL, and waits until the page has loaded.',
  schema: z.strictObject({
    url: address.optional(),
    target: address.optional().describe('The same as url.'),
    params: z.record(z.string(), z.unknown()).optional().describe('Params of a named route. Not supported.'),
    ...dialogFields,
  }),
  examples: [
    { description: 'Open the cart.', node: { action: 'ui.navigate', url: '/cart' } },
    {
      description: 'Stay on a page that shows a beforeunload dialog.',
      node: { action: 'ui.navigate', url: '/', dialog: 'dismiss' },
    },
  ],
  effect: 'user',
  fallible: () => true,
  needs: ['page'],
  describeUnsupported: ({ fields }) => (fields.params === undefined ? undefined : '"params" of a route are not supported'),
  describeMissing: ({ fields }) => ((fields.url ?? fields.target) === undefined ? '"url"' : undefined),
  async run(fields, context) {
    const url = fields.url ?? fields.target;
    if (url === undefined) throw new RecipeError('ui.no_target', 'action', 'ui.navigate needs a "url".');
    const output = await withDialogAnswer(context, fields.dialog, () => open(url, context));
    const { status = 0 } = output as { status?: number };
    if (status < 400) return { output };
    const message = `${output.url} answered with HTTP ${status}. Check that the app under test is running and has this page.`;
    return { output, failure: new RecipeError('ui.http_error', 'action', message) };
  },
});

async function open(url: string, context: ActionContext): Promise<Record<string, unknown>> {
  const page = pageOf(context);
  const { baseURL } = runPagesOf(page).options;
  const address = baseURL !== undefined && !URL.canParse(url) ? new URL(url, baseURL).href : url;
  const calls = () => context.call(page, 'goto', address, { timeout: pageTimeoutMs(context) });
  const response = await withPageErrors(calls, context).catch((thrown) =>
    Promise.reject(explainInvalidUrl(toRecipeError(thrown), url)),
  );
  const status = response?.status();
  runPagesOf(page).hosts.add(new URL(page.url()).host);
  return { url: page.url(), ...(status === undefined ? {} : { status }) };
}

function explainInvalidUrl(error: RecipeError, url: string): RecipeError {
  if (!error.message.includes('Cannot navigate to invalid URL')) return error;
  const message = `${JSON.stringify(url)} is not a complete URL. Add http:// or https://, or set "baseURL" in the config.`;
  return withSameStack(error, 'ui.no_base_url', message);
}
