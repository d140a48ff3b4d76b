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
  .regex(/^(?!.*\.\.)[\w][\w./-]*\.[a-z]+$/i, 'must be a relative path with an ending, such as screenshots/total.png');
const length = z.number().gt(0);
const text = z.string().min(1).optional();

const screenshotSchema = z.strictObject({
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
  describeUnsupported: ({ fields: { path: given = '.png' } }) =>
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

// A picture that may be proof: raw, of the page in front, of something to see, and without what must not be seen.

export type Picture = { body: Buffer; withHud?: Buffer; facts: PageState };

type PictureFields = z.output<typeof screenshotSchema>;

const purpose = 'take a picture of';

async function takePicture(fields: PictureFields, context: ActionContext): Promise<Picture> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), purpose);
  if (fields.url !== undefined) await awaitUrl(context, fields.url);
  refuseBehind(page);
  const mask = await masksFor(fields, context);
  const { body, facts } = await takeStillPicture(fields, context, mask).catch((thrown) => {
    // Where the page went while its picture was taken says more than that there is no picture.
    refuseBlankPage(page.url(), purpose);
    throw thrown;
  });
  refuseBehind(page);
  if (fields.url === undefined) refuseOtherHost(page);
  refuseBlank(body, facts);
  if (!hudOf(runPagesOf(page))) return { body, facts };
  return { body, facts, withHud: await takeScreenshot(fields, context, [...mask, ...runPagesOf(page).fieldsToMask(page)]) };
}

/** A page that goes elsewhere while its picture is taken may have either address. */
async function takeStillPicture(
  fields: PictureFields,
  context: ActionContext,
  mask: Locator[],
): Promise<Pick<Picture, 'body' | 'facts'>> {
  const page = pageOf(context);
  const stage = runPagesOf(page);
  const mayBePlain = (): boolean => mask.length === 0 && stage.secretFieldsOn(page).length === 0 && page.frames().length === 1;
  let isPlain = mayBePlain() && (await hasNoPassword(context));
  for (let left = 5; left > 0; left--) {
    const before = page.url();
    const masks = isPlain ? [] : [...mask, ...stage.fieldsToMask(page)];
    const body = await withoutHud(stage, () => takeScreenshot(fields, context, masks));
    const facts = await readPageState(context);
    refuseErrorPage(facts, purpose);
    // A field for a password may have come while nothing was painted over.
    const isSafe = !isPlain || (!facts.hasPassword && mayBePlain());
    if (facts.url === before && isSafe) return { body, facts };
    isPlain &&= isSafe;
  }
  const message = `${page.url()} goes elsewhere whenever its picture is taken. Wait with ui.wait_for until it has come to rest.`;
  throw new RecipeError('ui.page_moves', 'action', message);
}

/** To paint over nothing costs as much as the picture, and to ask a page of one frame whether it has such a field far less. */
async function hasNoPassword(context: ActionContext): Promise<boolean> {
  const fields = pageOf(context).locator(passwordSelector);
  return (await withPageErrors(() => context.call(fields, 'count'), context)) === 0;
}

function takeScreenshot(
  { full_page: fullPage = false, clip }: PictureFields,
  context: ActionContext,
  mask: Locator[],
): Promise<Buffer> {
  const options = { timeout: pageTimeoutMs(context), fullPage, mask, ...(clip ? { clip } : {}) };
  const page = pageOf(context);
  return withPageErrors(
    () => takeWithSecretsMasked(page, () => context.call(page, 'screenshot', options), context.call),
    context,
  );
}

/** What an author wants to be painted over is there: else the picture may show it under another name. */
async function masksFor({ mask = [] }: PictureFields, context: ActionContext): Promise<Locator[]> {
  const page = pageOf(context);
  const elements = mask.map((target) => locate(page, withText(target)));
  for (const [index, element] of elements.entries()) {
    if ((await withPageErrors(() => context.call(element, 'count'), context)) > 0) continue;
    const what = describeTarget(withText(mask[index] ?? {}));
    const message = `${what}, which is to be painted over, is not on ${page.url()}. Take it out of "mask", or name what is there.`;
    throw new RecipeError('ui.not_found', 'action', message);
  }
  return elements;
}

function refuseBehind(page: Page): void {
  const { frontPage } = runPagesOf(page);
  if (!frontPage || frontPage === page) return;
  const message = `${page.url()} is behind another page: ${frontPage.url()} was opened over it. Look at that one with cdp.target, or close it first.`;
  throw new RecipeError('ui.not_in_front', 'action', message);
}

function refuseOtherHost(page: Page): void {
  const { hosts } = runPagesOf(page);
  const { host } = new URL(page.url());
  if (hosts.size === 0 || hosts.has(host)) return;
  const message = `${page.url()} is on another host than what the run opened (${[...hosts].join(', ')}). If the picture is to show it, say so with "url".`;
  throw new RecipeError('ui.wrong_host', 'action', message);
}

function refuseBlank(body: Buffer, { url }: PageState): void {
  try {
    if (!isOneColour(body)) return;
  } catch (thrown) {
    if (!(thrown instanceof PngError)) throw thrown;
    throw new RecipeError('ui.blank_picture', 'environment', `The browser gave no picture that can be read: ${thrown.message}`);
  }
  const message = `The picture of ${url} is of one colour, and shows nothing. Wait for something on the page with ui.wait_for before, or see why it is empty.`;
  throw new RecipeError('ui.blank_picture', 'action', message);
}
