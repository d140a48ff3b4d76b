// rw.flow_goto: opens a page and waits until it has loaded.
import type { Page, Request } from '@playwright/test';
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { pageTimeoutMs, withPageErrors } from '../../../actions/ui/withPageErrors.js';
import { runPagesOf } from '../../../browser/runPages.js';
import { createFlowError } from '../failureClass.js';
import { explainNotAdmitted, isAdmitted } from '../network/admittedHosts.js';
import { explainNotPublic } from '../network/privateHosts.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillVariables, flowTextSchema } from '../run/flowText.js';
import { assertLoginNotRejected, runStep } from '../run/runStep.js';

export function gotoAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_goto',
    description: 'Opens a page of a flow-spec: a public URL of an admitted host.',
    schema: z.strictObject({ url: flowTextSchema }),
    examples: [{ description: 'Open the shop.', node: { action: 'rw.flow_goto', url: 'https://example.com/shop' } }],
    effect: 'user',
    fallible: () => true,
    needs: ['page'],
    async run({ url }, context) {
      const flow = flows.getRun(context);
      return runStep(flow, context, async (stepContext) => {
        await assertLoginNotRejected(flow, stepContext);
        return { output: await goToUrl(flow, stepContext, fillVariables(url, flow.variables)) };
      });
    },
  });
}

/** Opens a page without a check of the HTTP status. An error page is a page, and the expects of the flow decide about it. */
export async function goToUrl(flow: FlowRun, context: ActionContext, url: string): Promise<Record<string, unknown>> {
  const { hosts, settings } = flow;
  const problem = isAdmitted(url, hosts) ? explainNotPublic(url, settings) : explainNotAdmitted(url, hosts);
  if (problem !== undefined) throw createFlowError('spec_step_unresolvable', `The flow must not navigate to ${url}: ${problem}`);
  const page = flow.page(context);
  const status = await loadPage(page, url, context);
  runPagesOf(page).hosts.add(new URL(page.url()).host);
  return { url: page.url(), ...(status === undefined ? {} : { status }) };
}

/** Navigates and waits for the load event or for the failure of the load. Returns the HTTP status. */
async function loadPage(page: Page, url: string, context: ActionContext): Promise<number | undefined> {
  const loading = watchLoading(page);
  try {
    const { isNew, status } = await startNavigation(page, url, context);
    // A navigation within the same document loads nothing.
    if (isNew) await withPageErrors(() => waitForLoad(loading.ended, context), context);
    return status;
  } finally {
    loading.stop();
  }
}

type NavigationStart = { isNew: boolean; status?: number };

const maxAttempts = 3;
const arrivalTimeoutMs = 1_000;

/** Tries again when the previous page navigates at the same time and interrupts this navigation. */
async function startNavigation(page: Page, url: string, context: ActionContext): Promise<NavigationStart> {
  for (let attempt = 1; ; attempt++)
    try {
      const options = { waitUntil: 'commit', timeout: pageTimeoutMs(context) } as const;
      const response = await withPageErrors(() => context.call(page, 'goto', url, options), context);
      return response ? { isNew: true, status: response.status() } : { isNew: false };
    } catch (thrown) {
      const wasInterrupted = thrown instanceof Error && thrown.message.includes('is interrupted by another navigation');
      if (!wasInterrupted || context.signal.aborted) throw thrown;
      // The page may still arrive. Another navigation at once would interrupt it.
      if (await hasArrived(page, url, context)) return { isNew: true };
      if (attempt === maxAttempts) throw thrown;
    }
}

async function hasArrived(page: Page, url: string, context: ActionContext): Promise<boolean> {
  const { href } = new URL(url);
  const timeout = Math.min(arrivalTimeoutMs, pageTimeoutMs(context));
  const waiting = context.call(page, 'waitForURL', (pageUrl: URL) => pageUrl.href === href, { waitUntil: 'commit', timeout });
  return waiting.then(
    () => true,
    () => false,
  );
}

type PageLoading = { ended: Promise<void>; stop(): void };

/** Watches for the end of loading. A failed navigation away from the page stops its loading without a load event. */
function watchLoading(page: Page): PageLoading {
  let isNew = false;
  let stop = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    const onLoad = (): void => (isNew ? resolve() : undefined);
    const onNavigated = (frame: object): void => {
      isNew ||= frame === page.mainFrame();
    };
    const onRequestFailed = (request: Request): void => (isNew && isMainFrameRequest(request, page) ? resolve() : undefined);
    page.on('load', onLoad).on('framenavigated', onNavigated).on('requestfailed', onRequestFailed);
    stop = () => void page.off('load', onLoad).off('framenavigated', onNavigated).off('requestfailed', onRequestFailed);
  });
  return { ended, stop };
}

function isMainFrameRequest(request: Request, page: Page): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    // Playwright's error "Frame for this navigation request is not available": the request is of a new page.
    return false;
  }
}

function waitForLoad(loadEnd: Promise<void>, context: ActionContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const timeoutError = createFlowError(
      'spec_step_unresolvable',
      'The page did not finish loading before the timeout of the step.',
    );
    const cancelTimer = context.clock.after(pageTimeoutMs(context), () => reject(timeoutError));
    void loadEnd.then(() => {
      cancelTimer();
      resolve();
    });
  });
}
