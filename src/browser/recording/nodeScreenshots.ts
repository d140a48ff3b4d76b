// Pictures of the page as it was before and after a node: raw, and once more with the HUD when it is on.
import type { Page } from '@playwright/test';
import type { Capture } from '../../evidence/journal.js';
import { systemClock } from '../../system/clock.js';
import { succeedsWithin } from '../../system/succeedsWithin.js';
import { coverSecrets } from '../coverSecrets.js';
import { withoutHud } from '../hud/hud.js';
import { IsolatedWorld } from '../isolatedWorld.js';
import type { ObservedNode } from '../nodeObserver.js';
import { readPageFacts } from '../pageFacts.js';
import { isOneColour } from '../pngImage.js';
import type { RunPages } from '../runPages.js';

export type Moment = 'before' | 'after' | 'failure';

const momentLabels: Readonly<Record<Moment, string>> = { before: 'Before', after: 'After', failure: 'Failed' };

/** How many times the patience with a page: a large one takes its time, and that it answers at all has been found out before. */
const screenshotTimeoutFactor = 4;

/** Whether a picture would show the product. */
export function isProductPage(page: Page): boolean {
  return !page.isClosed() && !/^(about:|chrome:|chrome-error:|edge-error:|data:|view-source:|$)/i.test(page.url());
}

/** Nothing when there is nothing to show, or the page cannot be pictured in time. */
export async function takeNodeScreenshots(
  stage: RunPages,
  node: ObservedNode,
  { moment, hud }: { moment: Moment; hud: boolean },
): Promise<Capture[]> {
  const { page } = stage;
  if (!isProductPage(page)) return [];
  // A page that does not let go of the HUD in time does not answer, and cannot be pictured.
  const raw = await withoutHud(stage, () => takeScreenshot(stage, page)).catch(() => undefined);
  if (!raw) return [];
  const withHud = hud ? await takeScreenshot(stage, page) : undefined;
  const facts = await askPageFacts(page, stage.patienceMs);
  const isEvidence = moment !== 'failure' && showsProduct(stage, page, { picture: raw, facts });
  const described = { moment, node, facts, category: isEvidence ? 'evidence' : 'diagnostic' };
  const first = toCapture(raw, { ...described, name: moment, label: momentLabels[moment] });
  return withHud
    ? [first, toCapture(withHud, { ...described, name: `${moment}-hud`, label: `${momentLabels[moment]}, with HUD` })]
    : [first];
}

async function takeScreenshot(stage: RunPages, page: Page): Promise<Buffer | undefined> {
  let shot: Buffer | undefined;
  const longestMs = screenshotTimeoutFactor * stage.patienceMs;
  const take = (): Promise<Buffer> => page.screenshot({ mask: stage.fieldsToMask(page), timeout: longestMs });
  const shooting = coverSecrets(page, take).then((body) => {
    shot = body;
  });
  // Its own time is no limit where the browser does not answer.
  await succeedsWithin(systemClock, longestMs, shooting);
  return shot;
}

type ScreenshotDetails = { node: ObservedNode; facts: AnsweredFacts; name: string; label: string; category: string };

function toCapture(body: Buffer, { node, facts, name, label, category }: ScreenshotDetails): Capture {
  const path = `screenshots/${toFileName(node.path)}-${name}.png`;
  const claim = node.proofTarget === undefined ? {} : { proofTarget: node.proofTarget };
  const seen = facts && { url: facts.url, title: facts.title, viewport: facts.viewport };
  return { path, type: 'screenshot', category, label: `${label}: ${node.title}`, mimeType: 'image/png', ...claim, ...seen, body };
}

/** A run path or a claim as a name that every file system takes. */
export function toFileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').slice(0, 100);
}

// Whether a picture that nobody asked for may be proof: ui.screenshot refuses what this does not let count.

type AnsweredFacts = Awaited<ReturnType<typeof askPageFacts>>;

/** `shown`: what the page said of itself, if it answered. */
function showsProduct(
  { frontPage, hosts }: RunPages,
  page: Page,
  { picture, facts }: { picture: Buffer; facts: AnsweredFacts },
): boolean {
  if (frontPage && frontPage !== page) return false;
  if (hosts.size > 0 && !hosts.has(new URL(page.url()).host)) return false;
  return !isOneColour(picture) && (facts?.status ?? 0) < 400;
}

/** Which page it is: one question for all that is told of a picture. */
async function askPageFacts(page: Page, patienceMs: number): Promise<ReturnType<typeof readPageFacts> | undefined> {
  let answer: ReturnType<typeof readPageFacts> | undefined;
  const world = new IsolatedWorld(page);
  // Its text is of no interest here.
  const asking = world.call(readPageFacts, 0).then((facts) => {
    answer = facts;
  });
  await succeedsWithin(systemClock, patienceMs, asking);
  await succeedsWithin(systemClock, patienceMs, world.close());
  return answer;
}
