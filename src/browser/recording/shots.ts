// Pictures of the page as it was before and after a node: raw, and once more with the HUD when it is on.
import type { Page } from '@playwright/test';
import type { Capture } from '../../evidence/journal.js';
import { systemClock } from '../../system/clock.js';
import { coverSecrets } from '../coverSecrets.js';
import { withoutHud } from '../hud/hud.js';
import { withinMs } from '../hud/withinMs.js';
import type { SeenNode } from '../onlooker.js';
import type { Stage } from '../stage.js';
import { askPage, type Shown, showsProduct } from './showsProduct.js';

export type Moment = 'before' | 'after' | 'failure';

const moments: Readonly<Record<Moment, string>> = { before: 'Before', after: 'After', failure: 'Failed' };

/** How many times the patience with a page: a large one takes its time, and that it answers at all has been found out before. */
const shotPatience = 4;

/** Whether a picture would show the product. */
export function isRealPage(page: Page): boolean {
  return !page.isClosed() && !/^(about:|chrome:|chrome-error:|edge-error:|data:|view-source:|$)/i.test(page.url());
}

/** Nothing when there is nothing to show, or the page cannot be pictured in time. */
export async function takeShots(
  stage: Stage,
  node: SeenNode,
  { moment, hud }: { moment: Moment; hud: boolean },
): Promise<Capture[]> {
  const { page } = stage;
  if (!isRealPage(page)) return [];
  // A page that does not let go of the HUD in time does not answer, and cannot be pictured.
  const raw = await withoutHud(stage, () => shoot(stage, page)).catch(() => undefined);
  if (!raw) return [];
  const withHud = hud ? await shoot(stage, page) : undefined;
  const shown = await askPage(page, stage.patienceMs);
  const isEvidence = moment !== 'failure' && showsProduct(stage, page, { picture: raw, shown });
  const described = { moment, node, shown, category: isEvidence ? 'evidence' : 'diagnostic' };
  const first = toCapture(raw, { ...described, name: moment, words: moments[moment] });
  return withHud
    ? [first, toCapture(withHud, { ...described, name: `${moment}-hud`, words: `${moments[moment]}, with HUD` })]
    : [first];
}

async function shoot(stage: Stage, page: Page): Promise<Buffer | undefined> {
  let shot: Buffer | undefined;
  const longestMs = shotPatience * stage.patienceMs;
  const take = (): Promise<Buffer> => page.screenshot({ mask: stage.masks(page), timeout: longestMs });
  const shooting = coverSecrets(page, take).then((body) => {
    shot = body;
  });
  // Its own time is no limit where the browser does not answer.
  await withinMs(systemClock, longestMs, shooting);
  return shot;
}

type Described = { node: SeenNode; shown: Shown; name: string; words: string; category: string };

function toCapture(body: Buffer, { node, shown, name, words, category }: Described): Capture {
  const path = `screenshots/${fileName(node.path)}-${name}.png`;
  const claim = node.proofTarget === undefined ? {} : { proofTarget: node.proofTarget };
  const seen = shown && { url: shown.url, title: shown.title, viewport: shown.viewport };
  return { path, type: 'screenshot', category, label: `${words}: ${node.title}`, mimeType: 'image/png', ...claim, ...seen, body };
}

/** A run path or a claim as a name that every file system takes. */
export function fileName(name: string): string {
  return name.replace(/[^\w.-]+/g, '-').slice(0, 100);
}
