import type { Locator, Page } from '@playwright/test';
import * as z from 'zod';
import { hudOf, withoutHud } from '../../browser/hud/hud.js';
import { takeWithSecretsMasked } from '../../browser/maskScreenshots.js';
import { type PageState, refuseBlankPage, refuseErrorPage } from '../../browser/pageFacts.js';
import { isOneColour, PngError } from '../../browser/pngImage.js';
import { passwordSelector, runPagesOf } from '../../browser/runPages.js';
import { describeTarget, locate } from '../../browser/target.js';
import type { Capture } from '../../evidence/journal.js';
import { RecipeError } from '../../evidence/recipeError.js';
import { type ActionContext, defineAction } from '../action.js';
import { awaitUrl } from './awaitPage.js';
import { readPageState } from './readPage.js';
import { placeFields, withText } from './targetFields.js';
import { pageOf, pageTimeoutMs, withPageErrors } from './withPageErrors.js';

const path = z
  .string()
  .regex(/^(?!.*\.\.)[\w][\w./-]*\.[a-z]+$/i, 'must be a relative path with an extension, such as screenshots/total.png');
const length = z.number().gt(0);
const text = z.string().min(1).optional();

const screenshotSchema = z.strictObject({
  path: path.optional().describe('The path in the package. Default: screenshots/<node>.png.'),
  label: z.string().optional(),
  full_page: z.boolean().optional().describe('Captures the whole page, not only the viewport.'),
  clip: z
    .strictObject({ x: z.number().min(0), y: z.number().min(0), width: length, height: length })
    .optional()
    .describe('Captures a part of the viewport, or of the whole page with full_page. In CSS pixels.'),
  mask: z
    .array(z.strictObject({ ...placeFields, text, label: text }))
    .optional()
    .describe('Elements to hide. Password fields, fields that contain a secret, and texts that show a secret are always hidden.'),
  url: text.describe('A part of the URL that the page must have, or a pattern for the whole URL if it contains *.'),
  category: z.string().default('evidence'),
});

export const screenshot = defineAction({
  name: 'ui.screenshot',
  description:
    'Takes a screenshot of the page as evidence. Fails for an error page, a page behind another page, and a screenshot of one colour.',
  schema: screenshotSchema,
  examples: [
    { description: 'Show the total.', node: { action: 'ui.screenshot', path: 'screenshots/AC1-total.png', label: 'AC1 total' } },
    {
      description: 'Capture the whole page without the card number.',
      node: { action: 'ui.screenshot', full_page: true, mask: [{ test_id: 'card-number' }] },
    },
  ],
  effect: 'reads',
  captures: true,
  fallible: () => true,
  needs: ['page'],
  describeUnsupported: ({ fields: { path: pathField = '.png' } }) =>
    /\.png$|\{\{/i.test(String(pathField)) ? undefined : 'the "path" of a screenshot must end in .png',
  async run(fields, context) {
    const path = fields.path ?? `screenshots/${context.path.replace(/[^\w.-]/g, '-')}.png`;
    if (!/\.png$/i.test(path)) throw notPngError(path);
    const { body, withHud, pageState } = await takeEvidence(fields, context);
    const captures = [toCapture(fields, context, { path, body })];
    if (withHud) captures.push(toCapture(fields, context, { path: path.replace(/\.png$/i, '-hud.png'), body: withHud }));
    const { status: _, hasPassword: __, ...pageFacts } = pageState;
    return { output: { captured: true, path, ...pageFacts }, artifacts: captures };
  },
});

type Fields = z.output<typeof screenshotSchema>;

function toCapture(
  { category, label = 'UI screenshot' }: Fields,
  { node }: ActionContext,
  file: { path: string; body: Uint8Array },
): Capture {
  const target = node.proofTarget === undefined ? {} : { proofTarget: node.proofTarget };
  const hasHud = file.path.endsWith('-hud.png');
  return {
    ...file,
    type: 'screenshot',
    category,
    label: hasHud ? `${label}, with the HUD` : label,
    mimeType: 'image/png',
    ...target,
  };
}

function notPngError(path: string): RecipeError {
  return new RecipeError(
    'ui.not_png',
    'action',
    `A screenshot cannot be stored as ${JSON.stringify(path)}. Use a path that ends in .png.`,
  );
}

/** `body`: the screenshot without the HUD. */
export type Screenshot = { body: Buffer; withHud?: Buffer; pageState: PageState };

const purpose = 'take a screenshot of';

/** Refuses a screenshot that proves nothing: of an error page, of a page in the background, or of one colour. */
async function takeEvidence(fields: Fields, context: ActionContext): Promise<Screenshot> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), purpose);
  if (fields.url !== undefined) await awaitUrl(context, fields.url);
  refuseBackgroundPage(page);
  const mask = await locateMasks(fields, context);
  const { body, pageState } = await takeStableScreenshot(fields, context, mask).catch((thrown) => {
    // If the page navigated to a blank page, that error explains more than the failed screenshot.
    refuseBlankPage(page.url(), purpose);
    throw thrown;
  });
  refuseBackgroundPage(page);
  if (fields.url === undefined) refuseOtherHost(page);
  refuseOneColour(body, pageState);
  if (!hudOf(runPagesOf(page))) return { body, pageState };
  const withHud = await takeScreenshot(fields, context, [...mask, ...runPagesOf(page).fieldsToMask(page)]);
  return { body, pageState, withHud };
}

/** Repeats a screenshot during which the page navigated or a password field appeared. */
async function takeStableScreenshot(
  fields: Fields,
  context: ActionContext,
  mask: Locator[],
): Promise<Pick<Screenshot, 'body' | 'pageState'>> {
  const page = pageOf(context);
  const runPages = runPagesOf(page);
  const hasNothingToMask = (): boolean =>
    mask.length === 0 && runPages.secretFieldsOn(page).length === 0 && page.frames().length === 1;
  let canSkipMasks = hasNothingToMask() && (await hasNoPassword(context));
  for (let triesLeft = 5; triesLeft > 0; triesLeft--) {
    const urlBefore = page.url();
    const masks = canSkipMasks ? [] : [...mask, ...runPages.fieldsToMask(page)];
    const body = await withoutHud(runPages, () => takeScreenshot(fields, context, masks));
    const pageState = await readPageState(context);
    refuseErrorPage(pageState, purpose);
    // A password field may have appeared while nothing was masked.
    const isSafe = !canSkipMasks || (!pageState.hasPassword && hasNothingToMask());
    if (pageState.url === urlBefore && isSafe) return { body, pageState };
    canSkipMasks &&= isSafe;
  }
  const message = `${page.url()} navigates during each screenshot. Use ui.wait_for to wait until the page is stable.`;
  throw new RecipeError('ui.page_moves', 'action', message);
}

/** Counting the password fields of a single frame is much faster than a screenshot with masks that match nothing. */
async function hasNoPassword(context: ActionContext): Promise<boolean> {
  const fields = pageOf(context).locator(passwordSelector);
  return (await withPageErrors(() => context.call(fields, 'count'), context)) === 0;
}

function takeScreenshot({ full_page: fullPage = false, clip }: Fields, context: ActionContext, mask: Locator[]): Promise<Buffer> {
  const options = { timeout: pageTimeoutMs(context), fullPage, mask, ...(clip ? { clip } : {}) };
  const page = pageOf(context);
  return withPageErrors(
    () => takeWithSecretsMasked(page, () => context.call(page, 'screenshot', options), context.call),
    context,
  );
}

/** Refuses a mask that matches nothing: the screenshot might show its content in another element. */
async function locateMasks({ mask = [] }: Fields, context: ActionContext): Promise<Locator[]> {
  const page = pageOf(context);
  const elements = mask.map((target) => locate(page, withText(target)));
  for (const [index, element] of elements.entries()) {
    if ((await withPageErrors(() => context.call(element, 'count'), context)) > 0) continue;
    const description = describeTarget(withText(mask[index] ?? {}));
    const message = `${description}, which "mask" should hide, is not on ${page.url()}. Correct the target, or remove it from "mask".`;
    throw new RecipeError('ui.not_found', 'action', message);
  }
  return elements;
}

function refuseBackgroundPage(page: Page): void {
  const { frontPage } = runPagesOf(page);
  if (!frontPage || frontPage === page) return;
  const message = `${page.url()} is behind another page, ${frontPage.url()}. Switch to that page with cdp.target, or close it first.`;
  throw new RecipeError('ui.not_in_front', 'action', message);
}

function refuseOtherHost(page: Page): void {
  const { hosts } = runPagesOf(page);
  const { host } = new URL(page.url());
  if (hosts.size === 0 || hosts.has(host)) return;
  const message = `${page.url()} is not on a host that the run opened (${[...hosts].join(', ')}). If the screenshot should show this page, set "url".`;
  throw new RecipeError('ui.wrong_host', 'action', message);
}

function refuseOneColour(body: Buffer, { url }: PageState): void {
  try {
    if (!isOneColour(body)) return;
  } catch (thrown) {
    if (!(thrown instanceof PngError)) throw thrown;
    throw new RecipeError('ui.blank_picture', 'environment', `The browser returned an unreadable screenshot: ${thrown.message}`);
  }
  const message = `The screenshot of ${url} has only one colour. Wait for an element of the page with ui.wait_for first, or check why the page is empty.`;
  throw new RecipeError('ui.blank_picture', 'action', message);
}
