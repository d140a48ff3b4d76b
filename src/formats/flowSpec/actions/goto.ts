import type { Page, Request } from '@playwright/test';
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { patienceMs, withPageErrors } from '../../../actions/ui/withPageErrors.js';
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

/** What the server answers is for the expects to judge: a page that says "not found" is a page. */
export async function goToUrl(flow: FlowRun, context: ActionContext, url: string): Promise<Record<string, unknown>> {
  const { hosts, settings } = flow;
  const problem = isAdmitted(url, hosts) ? explainNotPublic(url, settings) : explainNotAdmitted(url, hosts);
  if (problem !== undefined) throw createFlowError('spec_step_unresolvable', `The flow may not go to ${url}: ${problem}`);
  const page = flow.page(context);
  const status = await loadPage(page, url, context);
  runPagesOf(page).hosts.add(new URL(page.url()).host);
  return { url: page.url(), ...(status === undefined ? {} : { status }) };
}

// Goes to an address and waits until its page has loaded, or until nothing more will load.

/** The status of what the server answered. */
async function loadPage(page: Page, url: string, context: ActionContext): Promise<number | undefined> {
  const loading = watchLoading(page);
  try {
    const { isNew, status } = await startNavigation(page, url, context);
    // Another place on the same page: there is nothing to load.
    if (isNew) await withPageErrors(() => waitForLoad(loading.isOver, context), context);
    return status;
  } finally {
    loading.stop();
  }
}

type NavigationStart = { isNew: boolean; status?: number };

const maxAttempts = 3;
const arrivalTimeoutMs = 1_000;

/** The page that is left may be on its way somewhere by itself, and get there first: then it is left from there. */
async function startNavigation(page: Page, url: string, context: ActionContext): Promise<NavigationStart> {
  for (let tries = 1; ; tries++)
    try {
      const options = { waitUntil: 'commit', timeout: patienceMs(context) } as const;
      const response = await withPageErrors(() => context.call(page, 'goto', url, options), context);
      return response ? { isNew: true, status: response.status() } : { isNew: false };
    } catch (thrown) {
      const wasOvertaken = thrown instanceof Error && thrown.message.includes('is interrupted by another navigation');
      if (!wasOvertaken || context.signal.aborted) throw thrown;
      // What was asked for may still come after the other: to ask again at once would only interrupt that.
      if (await hasArrived(page, url, context)) return { isNew: true };
      if (tries === maxAttempts) throw thrown;
    }
}

async function hasArrived(page: Page, url: string, context: ActionContext): Promise<boolean> {
  const { href } = new URL(url);
  const timeout = Math.min(arrivalTimeoutMs, patienceMs(context));
  const waiting = context.call(page, 'waitForURL', (at: URL) => at.href === href, { waitUntil: 'commit', timeout });
  return waiting.then(
    () => true,
    () => false,
  );
}

type PageLoading = { isOver: Promise<void>; stop(): void };

/** A page that goes somewhere else stops loading; when it does not get there, it stays as it is and never says that it has loaded. */
function watchLoading(page: Page): PageLoading {
  let isNew = false;
  let stop = (): void => undefined;
  const isOver = new Promise<void>((resolve) => {
    const loaded = (): void => (isNew ? resolve() : undefined);
    const moved = (frame: object): void => {
      isNew ||= frame === page.mainFrame();
    };
    const stayed = (request: Request): void => (isNew && isMainFrameRequest(request, page) ? resolve() : undefined);
    page.on('load', loaded).on('framenavigated', moved).on('requestfailed', stayed);
    stop = () => void page.off('load', loaded).off('framenavigated', moved).off('requestfailed', stayed);
  });
  return { isOver, stop };
}

function isMainFrameRequest(request: Request, page: Page): boolean {
  // A frame that is not there yet is not the one that went somewhere.
  try {
    return request.isNavigationRequest() && request.frame() === page.mainFrame();
  } catch {
    return false;
  }
}

function waitForLoad(work: Promise<void>, context: ActionContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = createFlowError('spec_step_unresolvable', 'The page did not finish loading in time.');
    const withdraw = context.clock.after(patienceMs(context), () => reject(late));
    void work.then(() => {
      withdraw();
      resolve();
    });
  });
}
