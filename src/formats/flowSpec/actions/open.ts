// rw.flow_open: starts the guarded browser context of a flow.
import type { Browser, BrowserContext, Page } from '@playwright/test';
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/recipeError.js';
import { isHostAdmitted } from '../network/admittedHosts.js';
import { disableWebRtc } from '../network/disableWebRtc.js';
import { NavigationGuard } from '../network/navigationGuard.js';
import { reportRefusedFlow } from '../run/flowReport.js';
import type { FlowPlan, FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillVariables, flowTextSchema, maskText } from '../run/flowText.js';
import { runStep } from '../run/runStep.js';
import { goToUrl } from './goto.js';

const stepSchema = z.strictObject({ id: z.string(), intent: z.string(), optional: z.boolean().optional() });

const schema = z.strictObject({
  name: flowTextSchema,
  url: flowTextSchema.describe('The flow may navigate to its host and subdomains.'),
  allowed_hosts: z.array(z.string()).describe('More hosts that the flow may navigate to, with their subdomains.'),
  opens: z.boolean().optional().describe('Opens url, because the first step of the flow is not a goto.'),
  steps: z.array(stepSchema),
  assertions: z.array(z.string()).optional(),
});

export function openAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_open',
    description: 'Starts a browser context that cannot leave the hosts of a flow-spec. With "opens", also opens the first page.',
    schema,
    examples: [
      {
        description: 'Stay on one site.',
        node: { action: 'rw.flow_open', name: 'signup', url: 'https://example.com', allowed_hosts: [], steps: [] },
      },
    ],
    effect: 'user',
    fallible: () => true,
    needs: ['browser', 'page'],
    documentRefusal: (node, why) =>
      reportRefusedFlow(readFlowPlan(schema.parse(node.fields)), flows.settings, { ...why, node: node.id }),
    async run({ opens = false, ...fields }, context) {
      const plan = readFlowPlan(fields);
      const flow = flows.startRun(context, plan);
      await openGuardedContext(flow, context);
      const output = { hosts: flow.hosts, subresources: flow.settings.subresources, beacons: flow.settings.beacons };
      if (!opens) return { output };
      const opened = await runStep(flow, context, async (stepContext) => ({
        output: await goToUrl(flow, stepContext, plan.url),
      }));
      return { ...opened, output: { ...output, ...(opened.output as object | undefined) } };
    },
  });
}

function readFlowPlan({ name, url, allowed_hosts: allowedHosts, steps, assertions = [] }: z.output<typeof schema>): FlowPlan {
  return { name: fillVariables(name, new Map()), url: fillVariables(url, new Map()), allowedHosts, steps, assertions };
}

/** Opens a context with a proxy for all its traffic, and intercepts every request of the browser. */
async function openGuardedContext(flow: FlowRun, context: ActionContext): Promise<void> {
  const { fixtures, clock } = context;
  const browser = fixtures.browser as Browser | null | undefined;
  if (!browser) throw createNoBrowserError();
  const { settings, hosts } = flow;
  // The browser itself sends requests, such as for autofill. They are refused, because no page of the flow has loaded their
  // hosts.
  const mayLoad = (host: string): boolean =>
    isHostAdmitted(host, hosts) || (settings.subresources === 'allow' && flow.guard?.loadedHosts.has(host) === true);
  // Imported here because only flows need the proxy, and node:http takes 17 ms to import.
  const { openProxy } = await import('../network/proxy.js');
  flow.proxy = await openProxy({
    allowPrivateHosts: settings.allowPrivateHosts,
    lookup: settings.lookup,
    mayLoad,
    maySocket: (host) => isHostAdmitted(host, hosts),
    onRefused: (url, reason) => flow.guard?.block({ url, why: reason, what: /^wss?:/.test(url) ? 'socket' : 'request' }),
  });
  const pageUrl = (): string => flow.page(context).url();
  flow.guard = await NavigationGuard.open(browser, {
    hosts,
    settings,
    pageUrl,
    step: () => flow.currentNode,
    now: () => clock.wall(),
    mask: (text) => maskText(context, text),
  });
  // By default, browsers bypass the proxy for local addresses.
  const guardedContext = await browser.newContext({ proxy: { server: flow.proxy.server, bypass: '<-loopback>' } });
  await blockForeignSockets(flow, guardedContext);
  await guardedContext.addInitScript(disableWebRtc);
  await flow.usePage(fixtures.page as Page, guardedContext);
}

/**
 * Blocks WebSockets to other hosts. The proxy recognises a WebSocket by its first bytes, so it misses one that reuses a
 * connection.
 */
async function blockForeignSockets(flow: FlowRun, context: BrowserContext): Promise<void> {
  await context.routeWebSocket(
    (url) => !isHostAdmitted(url.hostname, flow.hosts),
    async (socket) => {
      flow.guard?.block({ url: socket.url(), why: 'a WebSocket may only connect to the hosts of the flow', what: 'socket' });
      await socket.close({ code: 1008, reason: 'The host is not admitted.' });
    },
  );
}

function createNoBrowserError(): RecipeError {
  const message = 'A flow-spec needs a browser to open a separate context, but this host provides no browser.';
  return new RecipeError('flow_spec.no_browser', 'environment', message);
}
