import type { Page } from '@playwright/test';
import * as z from 'zod';
import { findSettings } from '../../browser/pageSettings.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { currentStage } from '../app/currentStage.js';
import { drive, patienceMs } from '../ui/drive.js';
import { describePages, findPages, roles } from './findPages.js';

export const target = defineAction({
  name: 'cdp.target',
  description: 'Chooses which page, popup or extension the following nodes look at, and waits for it to open.',
  schema: z.strictObject({
    role: z
      .string()
      .min(1)
      .optional()
      .describe('page: the first one; popup: the latest that another page opened; extension: a page of an extension.'),
    url: z.string().min(1).optional().describe('A part of its URL; a star stands for anything.'),
    title: z.string().min(1).optional().describe('A part of its title.'),
  }),
  examples: [
    { description: 'Look at the payment window.', node: { action: 'cdp.target', role: 'popup' } },
    { description: 'Go back to the shop.', node: { action: 'cdp.target', url: '/shop' } },
  ],
  // It only chooses what is looked at; a page that does not open is the product's fault.
  effect: 'none',
  fallible: () => true,
  timeoutMs: 10_000,
  needs: ['page'],
  overPort: true,
  // A reference is known only when the node is reached.
  cannot: ({ fields: { role } }) =>
    typeof role !== 'string' || role.includes('{{') || roles.includes(role)
      ? undefined
      : `the role ${JSON.stringify(role)}; it knows ${roles.join(', ')}, and pages by "url" or "title"`,
  lacks: ({ fields }) => (Object.keys(fields).length === 0 ? '"role", "url" or "title"' : undefined),
  async run(fields, context) {
    const stage = currentStage(context);
    const page = await waitForPage(fields, context);
    await findSettings(stage)?.applyTo(page);
    stage.switchTo(page);
    await drive(() => context.call(page, 'bringToFront'), context);
    await drive(() => context.call(page, 'waitForLoadState', 'domcontentloaded', { timeout: context.remainingMs() }), context);
    const pages = stage.context.pages();
    return { output: { url: page.url(), title: await page.title(), index: pages.indexOf(page), pages: pages.length } };
  },
});

type Wanted = { role?: string | undefined; url?: string | undefined; title?: string | undefined };

const pauseMs = 50;

async function waitForPage(wanted: Wanted, context: ActionContext): Promise<Page> {
  const { clock, signal } = context;
  const pages = (): Page[] => currentStage(context).context.pages();
  const until = clock.now() + patienceMs(context);
  for (;;) {
    // Nothing opens in a browser that is gone, and that is not the product's fault.
    const { lostError } = currentStage(context);
    if (lostError) throw lostError;
    const found = await findPages(pages(), wanted);
    const [first] = found;
    if (first && found.length === 1) return first;
    if (found.length > 1) {
      const message = `${found.length} pages fit ${JSON.stringify(wanted)}: ${await describePages(found)}. Say more of the one that is meant.`;
      throw new RecipeError('cdp.ambiguous_target', 'action', message);
    }
    if (clock.now() >= until || signal.aborted) {
      const message = `No page fits ${JSON.stringify(wanted)}. Open are: ${await describePages(pages())}.`;
      throw new RecipeError('cdp.no_target', 'action', message);
    }
    await new Promise<void>((resume) => clock.after(pauseMs, resume));
  }
}
