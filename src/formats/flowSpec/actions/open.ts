import type { Browser, BrowserContext, Page } from '@playwright/test';
import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { RecipeError } from '../../../evidence/failure.js';
import { isHostAdmitted } from '../hosts.js';
import { openProxy } from '../network/proxy.js';
import { readText, text } from './fields.js';
import type { FlowPlan, FlowRun, Flows } from './flowRun.js';
import { goTo } from './goto.js';
import { masked } from './masked.js';
import { NavigationGuard } from './navigationGuard.js';
import { performStep } from './performStep.js';
import { quietWebRtc } from './quietWebRtc.js';
import { refusedReport } from './refusedReport.js';

const step = z.strictObject({ id: z.string(), intent: z.string(), optional: z.boolean().optional() });

const schema = z.strictObject({
  name: text,
  url: text.describe('Its host and subdomains are admitted.'),
  allowed_hosts: z.array(z.string()).describe('More hosts, with their subdomains.'),
  opens: z.boolean().optional().describe('Goes to url, as no step of the flow does so first.'),
  steps: z.array(step),
  assertions: z.array(z.string()).optional(),
});

export function openAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_open',
    description: 'Starts a browser context that cannot leave the hosts of a flow-spec, and may open its first page.',
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
    refused: (node, why) => refusedReport(planOf(schema.parse(node.fields)), flows.settings, { ...why, node: node.id }),
    async run({ opens = false, ...fields }, context) {
      const plan = planOf(fields);
      const flow = flows.open(context, plan);
      await guard(flow, context);
      const output = { hosts: flow.hosts, subresources: flow.settings.subresources, beacons: flow.settings.beacons };
      if (!opens) return { output };
      const opened = await performStep(flow, context, async (patient) => ({ output: await goTo(flow, patient, plan.url) }));
      return { ...opened, output: { ...output, ...(opened.output as object | undefined) } };
    },
  });
}

function planOf({ name, url, allowed_hosts: allowed, steps, assertions = [] }: z.output<typeof schema>): FlowPlan {
  return { name: readText(name, new Map()), url: readText(url, new Map()), allowed, steps, assertions };
}

/** Below the page: a proxy that everything goes through, and a watch over every request of the browser. */
async function guard(flow: FlowRun, context: ActionContext): Promise<void> {
  const { fixtures, clock } = context;
  const browser = fixtures.browser as Browser | null | undefined;
  if (!browser) throw noBrowser();
  const { settings, hosts } = flow;
  // What no page asked for is the browser's own business, such as its autofill, and the flow does not need it.
  const mayLoad = (host: string): boolean =>
    isHostAdmitted(host, hosts) || (settings.subresources === 'allow' && flow.guard?.asked.has(host) === true);
  flow.proxy = await openProxy({
    ...{ allowPrivateHosts: settings.allowPrivateHosts, lookup: settings.lookup, mayLoad },
    maySocket: (host) => isHostAdmitted(host, hosts),
    refused: (url, why) => flow.guard?.block({ url, why, what: /^wss?:/.test(url) ? 'socket' : 'request' }),
  });
  const pageUrl = (): string => flow.page(context).url();
  flow.guard = await NavigationGuard.open(browser, {
    hosts,
    settings,
    pageUrl,
    step: () => flow.current,
    stamp: () => clock.wall(),
    mask: (text) => masked(context, text),
  });
  // Browsers go around a proxy for this machine unless they are told otherwise.
  const made = await browser.newContext({ proxy: { server: flow.proxy.server, bypass: '<-loopback>' } });
  await refuseSockets(flow, made);
  await made.addInitScript(quietWebRtc);
  await flow.show(fixtures.page as Page, made);
}

/** The proxy knows a socket by how it begins; inside of a connection that is there already only the page does. */
async function refuseSockets(flow: FlowRun, context: BrowserContext): Promise<void> {
  await context.routeWebSocket(
    (url) => !isHostAdmitted(url.hostname, flow.hosts),
    async (socket) => {
      flow.guard?.block({ url: socket.url(), why: 'a WebSocket may go only to the hosts of the flow', what: 'socket' });
      await socket.close({ code: 1008, reason: 'The host is not admitted.' });
    },
  );
}

function noBrowser(): RecipeError {
  const message = 'A flow-spec needs a browser in which it can open a context of its own, and this host gives none.';
  return new RecipeError('flow_spec.no_browser', 'environment', message);
}
