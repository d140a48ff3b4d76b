import type { Page } from '@playwright/test';
import * as z from 'zod';
import { createUrlMatcher } from '../../browser/networkBlock.js';
import { findSettings } from '../../browser/pageSettings.js';
import { didYouMean } from '../../document/didYouMean.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { currentRunPages, pageTimeoutMs, withPageErrors } from '../ui/withPageErrors.js';

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
  worksOverCdpPort: true,
  // A reference is known only when the node is reached.
  describeUnsupported: ({ fields: { role } }) =>
    typeof role !== 'string' || role.includes('{{') || pageRoles.includes(role)
      ? undefined
      : `the role ${JSON.stringify(role)}; it knows ${pageRoles.join(', ')}, and pages by "url" or "title"`,
  describeMissing: ({ fields }) => (Object.keys(fields).length === 0 ? '"role", "url" or "title"' : undefined),
  async run(fields, context) {
    const stage = currentRunPages(context);
    const page = await waitForPage(fields, context);
    await findSettings(stage)?.applyTo(page);
    stage.switchTo(page);
    await withPageErrors(() => context.call(page, 'bringToFront'), context);
    await withPageErrors(
      () => context.call(page, 'waitForLoadState', 'domcontentloaded', { timeout: context.remainingMs() }),
      context,
    );
    const pages = stage.context.pages();
    return { output: { url: page.url(), title: await page.title(), index: pages.indexOf(page), pages: pages.length } };
  },
});

type TargetQuery = { role?: string | undefined; url?: string | undefined; title?: string | undefined };

const pauseMs = 50;

async function waitForPage(wanted: TargetQuery, context: ActionContext): Promise<Page> {
  const { clock, signal } = context;
  const pages = (): Page[] => currentRunPages(context).context.pages();
  const until = clock.now() + pageTimeoutMs(context);
  for (;;) {
    // Nothing opens in a browser that is gone, and that is not the product's fault.
    const { lostError } = currentRunPages(context);
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

// Pages by what a node says of them.

type PageQuery = { role?: string | undefined; url?: string | undefined; title?: string | undefined };

async function findPages(pages: readonly Page[], { role, url, title }: PageQuery): Promise<Page[]> {
  const fits = createUrlMatcher(url ?? '');
  const found: Page[] = [];
  for (const page of pages) {
    if (page.isClosed() || !fits(page.url())) continue;
    if (title === undefined || (await titleOf(page)).includes(title)) found.push(page);
  }
  return role === undefined ? found : withRole(found, role);
}

async function describePages(pages: readonly Page[]): Promise<string> {
  const descriptions = pages.map(async (page) => `${page.url()} (${JSON.stringify(await titleOf(page))})`);
  return (await Promise.all(descriptions)).join(', ') || 'none';
}

async function titleOf(page: Page): Promise<string> {
  // A page that is just being replaced or closed has none.
  return page.title().catch(() => '');
}

const pageRoles: readonly string[] = ['page', 'popup', 'extension'];

async function withRole(pages: readonly Page[], role: string): Promise<Page[]> {
  if (role === 'page') return pages.slice(0, 1);
  if (role === 'extension') return pages.filter((page) => /^(chrome|moz)-extension:/.test(page.url()));
  if (role === 'popup') {
    const openers = await Promise.all(pages.map((page) => page.opener()));
    return pages.filter((_, index) => openers[index]).slice(-1);
  }
  const message = `There is no role ${JSON.stringify(role)} for a page. ${didYouMean(role, pageRoles)} Or name it by "url" or "title".`;
  throw new RecipeError('cdp.unknown_role', 'environment', message);
}
