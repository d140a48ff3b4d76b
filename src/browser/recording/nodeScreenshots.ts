// Takes the screenshots of a node: before, after or on failure, and each once more with the HUD when it is on.
import type { Page } from '@playwright/test';
import type { Capture } from '../../evidence/journal.js';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { withoutHud } from '../hud/hud.js';
import { IsolatedWorld } from '../isolatedWorld.js';
import { takeWithSecretsMasked } from '../maskScreenshots.js';
import type { ObservedNode } from '../nodeObserver.js';
import { isBlankUrl, readPageFacts } from '../pageFacts.js';
import { isOneColour } from '../pngImage.js';
import type { RunPages } from '../runPages.js';

export type Moment = 'before' | 'after' | 'failure';

const momentLabels: Readonly<Record<Moment, string>> = { before: 'Before', after: 'After', failure: 'Failed' };

/** A screenshot may take this many times `answerTimeoutMs`: the page has answered before, and a large page is slow. */
const screenshotTimeoutFactor = 4;

export function isProductPage(page: Page): boolean {
  return !page.isClosed() && !isBlankUrl(page.url());
}

/** Returns no captures when the page is not a page of the app, or does not answer in time. */
export async function takeNodeScreenshots(
  runPages: RunPages,
  node: ObservedNode,
  { moment, hud }: { moment: Moment; hud: boolean },
): Promise<Capture[]> {
  const { page } = runPages;
  if (!isProductPage(page)) return [];
  // Fails when the page does not remove the HUD in time. A screenshot would fail, too.
  const raw = await withoutHud(runPages, () => takeScreenshot(runPages, page)).catch(() => undefined);
  if (!raw) return [];
  const withHud = hud ? await takeScreenshot(runPages, page) : undefined;
  const facts = await askPageFacts(page, runPages.answerTimeoutMs);
  const isEvidence = moment !== 'failure' && showsProduct(runPages, page, { picture: raw, facts });
  const details = { moment, node, facts, category: isEvidence ? 'evidence' : 'diagnostic' };
  const capture = toCapture(raw, { ...details, name: moment, label: momentLabels[moment] });
  return withHud
    ? [capture, toCapture(withHud, { ...details, name: `${moment}-hud`, label: `${momentLabels[moment]}, with HUD` })]
    : [capture];
}

async function takeScreenshot(runPages: RunPages, page: Page): Promise<Buffer | undefined> {
  let screenshot: Buffer | undefined;
  const timeoutMs = screenshotTimeoutFactor * runPages.answerTimeoutMs;
  const take = (): Promise<Buffer> => page.screenshot({ mask: runPages.fieldsToMask(page), timeout: timeoutMs });
  const taking = takeWithSecretsMasked(page, take).then((body) => {
    screenshot = body;
  });
  // Playwright's own timeout does not work when the browser does not answer.
  await succeedsWithin(systemClock, timeoutMs, taking);
  return screenshot;
}

type ScreenshotDetails = { node: ObservedNode; facts: AnsweredFacts; name: string; label: string; category: string };

function toCapture(body: Buffer, { node, facts, name, label, category }: ScreenshotDetails): Capture {
  const path = `screenshots/${toFileName(node.path)}-${name}.png`;
  return {
    path,
    type: 'screenshot',
    category,
    label: `${label}: ${node.title}`,
    mimeType: 'image/png',
    ...(node.proofTarget === undefined ? {} : { proofTarget: node.proofTarget }),
    ...(facts && { url: facts.url, title: facts.title, viewport: facts.viewport }),
    body,
  };
}

/** Turns a run path or a claim id into a name that is valid on every file system. */
export function toFileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').slice(0, 100);
}

type AnsweredFacts = Awaited<ReturnType<typeof askPageFacts>>;

/** Whether an automatic screenshot counts as evidence. ui.screenshot fails under the same conditions. */
function showsProduct(
  { frontPage, hosts }: RunPages,
  page: Page,
  { picture, facts }: { picture: Buffer; facts: AnsweredFacts },
): boolean {
  if (frontPage && frontPage !== page) return false;
  if (hosts.size > 0 && !hosts.has(new URL(page.url()).host)) return false;
  return !isOneColour(picture) && (facts?.status ?? 0) < 400;
}

/** Undefined when the page does not answer in time. */
async function askPageFacts(page: Page, timeoutMs: number): Promise<ReturnType<typeof readPageFacts> | undefined> {
  let answer: ReturnType<typeof readPageFacts> | undefined;
  const world = new IsolatedWorld(page);
  // 0: no text is needed.
  const asking = world.call(readPageFacts, 0).then((facts) => {
    answer = facts;
  });
  await succeedsWithin(systemClock, timeoutMs, asking);
  await succeedsWithin(systemClock, timeoutMs, world.close());
  return answer;
}
