// Goes to an address and waits until its page has loaded, or until nothing more will load.
import type { Page, Request } from '@playwright/test';
import type { ActionContext } from '../../../actions/action.js';
import { drive, patienceMs } from '../../../actions/ui/drive.js';
import { flowError } from './flowError.js';

/** The status of what the server answered. */
export async function openPage(page: Page, url: string, context: ActionContext): Promise<number | undefined> {
  const loading = watchLoading(page);
  try {
    const { isNew, status } = await setOut(page, url, context);
    // Another place on the same page: there is nothing to load.
    if (isNew) await drive(() => withinTime(loading.isOver, context), context);
    return status;
  } finally {
    loading.stop();
  }
}

type Arrived = { isNew: boolean; status?: number };

const mostTries = 3;
const arrivesMs = 1_000;

/** The page that is left may be on its way somewhere by itself, and get there first: then it is left from there. */
async function setOut(page: Page, url: string, context: ActionContext): Promise<Arrived> {
  for (let tries = 1; ; tries++)
    try {
      const options = { waitUntil: 'commit', timeout: patienceMs(context) } as const;
      const response = await drive(() => context.call(page, 'goto', url, options), context);
      return response ? { isNew: true, status: response.status() } : { isNew: false };
    } catch (thrown) {
      const wasOvertaken = thrown instanceof Error && thrown.message.includes('is interrupted by another navigation');
      if (!wasOvertaken || context.signal.aborted) throw thrown;
      // What was asked for may still come after the other: to ask again at once would only interrupt that.
      if (await arrives(page, url, context)) return { isNew: true };
      if (tries === mostTries) throw thrown;
    }
}

async function arrives(page: Page, url: string, context: ActionContext): Promise<boolean> {
  const { href } = new URL(url);
  const timeout = Math.min(arrivesMs, patienceMs(context));
  const waiting = context.call(page, 'waitForURL', (at: URL) => at.href === href, { waitUntil: 'commit', timeout });
  return waiting.then(
    () => true,
    () => false,
  );
}

type Loading = { isOver: Promise<void>; stop(): void };

/** A page that goes somewhere else stops loading; when it does not get there, it stays as it is and never says that it has loaded. */
function watchLoading(page: Page): Loading {
  let isNew = false;
  let stop = (): void => undefined;
  const isOver = new Promise<void>((resolve) => {
    const loaded = (): void => (isNew ? resolve() : undefined);
    const moved = (frame: object): void => {
      isNew ||= frame === page.mainFrame();
    };
    const stayed = (request: Request): void => (isNew && isOfPage(request, page) ? resolve() : undefined);
    page.on('load', loaded).on('framenavigated', moved).on('requestfailed', stayed);
    stop = () => void page.off('load', loaded).off('framenavigated', moved).off('requestfailed', stayed);
  });
  return { isOver, stop };
}

function isOfPage(request: Request, page: Page): boolean {
  // A frame that is not there yet is not the one that went somewhere.
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    return false;
  }
}

function withinTime(work: Promise<void>, context: ActionContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = flowError('spec_step_unresolvable', 'The page did not finish loading in time.');
    const withdraw = context.clock.after(patienceMs(context), () => reject(late));
    void work.then(() => {
      withdraw();
      resolve();
    });
  });
}
