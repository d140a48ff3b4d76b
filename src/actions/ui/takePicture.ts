// A picture that may be proof: raw, of the page in front, of something to see, and without what must not be seen.
import type { Locator, Page } from '@playwright/test';
import type * as z from 'zod';
import { coverSecrets } from '../../browser/coverSecrets.js';
import { hudOf, withoutHud } from '../../browser/hud/hud.js';
import { type PageState, refuseBlankPage, refuseErrorPage } from '../../browser/pageFacts.js';
import { isOneColour, PngError } from '../../browser/pngImage.js';
import { passwordSelector, runPagesOf } from '../../browser/runPages.js';
import { describeTarget, locate } from '../../browser/target.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { ActionContext } from '../action.js';
import { awaitUrl } from './awaitPage.js';
import { drive, pageOf, patienceMs } from './drive.js';
import { factsOf } from './factsOf.js';
import type { screenshotSchema } from './screenshot.js';
import { withText } from './target.js';

export type Taken = { body: Buffer; withHud?: Buffer; facts: PageState };

type Fields = z.output<typeof screenshotSchema>;

const purpose = 'take a picture of';

export async function takePicture(fields: Fields, context: ActionContext): Promise<Taken> {
  const page = pageOf(context);
  refuseBlankPage(page.url(), purpose);
  if (fields.url !== undefined) await awaitUrl(context, fields.url);
  refuseBehind(page);
  const mask = await masksFor(fields, context);
  const { body, facts } = await stillPicture(fields, context, mask).catch((thrown) => {
    // Where the page went while its picture was taken says more than that there is no picture.
    refuseBlankPage(page.url(), purpose);
    throw thrown;
  });
  refuseBehind(page);
  if (fields.url === undefined) refuseOtherHost(page);
  refuseBlank(body, facts);
  if (!hudOf(runPagesOf(page))) return { body, facts };
  return { body, facts, withHud: await shoot(fields, context, [...mask, ...runPagesOf(page).fieldsToMask(page)]) };
}

/** A page that goes elsewhere while its picture is taken may have either address. */
async function stillPicture(fields: Fields, context: ActionContext, mask: Locator[]): Promise<Pick<Taken, 'body' | 'facts'>> {
  const page = pageOf(context);
  const stage = runPagesOf(page);
  const mayBePlain = (): boolean => mask.length === 0 && stage.secretFieldsOn(page).length === 0 && page.frames().length === 1;
  let isPlain = mayBePlain() && (await hasNoPassword(context));
  for (let left = 5; left > 0; left--) {
    const before = page.url();
    const masks = isPlain ? [] : [...mask, ...stage.fieldsToMask(page)];
    const body = await withoutHud(stage, () => shoot(fields, context, masks));
    const facts = await factsOf(context);
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
  return (await drive(() => context.call(fields, 'count'), context)) === 0;
}

function shoot({ full_page: fullPage = false, clip }: Fields, context: ActionContext, mask: Locator[]): Promise<Buffer> {
  const options = { timeout: patienceMs(context), fullPage, mask, ...(clip ? { clip } : {}) };
  const page = pageOf(context);
  return drive(() => coverSecrets(page, () => context.call(page, 'screenshot', options), context.call), context);
}

/** What an author wants to be painted over is there: else the picture may show it under another name. */
async function masksFor({ mask = [] }: Fields, context: ActionContext): Promise<Locator[]> {
  const page = pageOf(context);
  const named = mask.map((target) => locate(page, withText(target)));
  for (const [index, element] of named.entries()) {
    if ((await drive(() => context.call(element, 'count'), context)) > 0) continue;
    const what = describeTarget(withText(mask[index] ?? {}));
    const message = `${what}, which is to be painted over, is not on ${page.url()}. Take it out of "mask", or name what is there.`;
    throw new RecipeError('ui.not_found', 'action', message);
  }
  return named;
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
