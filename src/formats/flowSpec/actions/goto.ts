import * as z from 'zod';
import { type Action, type ActionContext, defineAction } from '../../../actions/action.js';
import { runPagesOf } from '../../../browser/runPages.js';
import { isAdmitted, notAdmitted } from '../hosts.js';
import { notPublic } from '../network/hostGuard.js';
import { readText, text } from './fields.js';
import { flowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { openPage } from './openPage.js';
import { performStep } from './performStep.js';
import { notRejected } from './rejectionOf.js';

export function gotoAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_goto',
    description: 'Opens a page of a flow-spec: a public URL of an admitted host.',
    schema: z.strictObject({ url: text }),
    examples: [{ description: 'Open the shop.', node: { action: 'rw.flow_goto', url: 'https://example.com/shop' } }],
    effect: 'user',
    fallible: () => true,
    needs: ['page'],
    async run({ url }, context) {
      const flow = flows.of(context);
      return performStep(flow, context, async (patient) => {
        await notRejected(flow, patient);
        return { output: await goTo(flow, patient, readText(url, flow.variables)) };
      });
    },
  });
}

/** What the server answers is for the expects to judge: a page that says "not found" is a page. */
export async function goTo(flow: FlowRun, context: ActionContext, url: string): Promise<Record<string, unknown>> {
  const { hosts, settings } = flow;
  const refused = isAdmitted(url, hosts) ? notPublic(url, settings) : notAdmitted(url, hosts);
  if (refused !== undefined) throw flowError('spec_step_unresolvable', `The flow may not go to ${url}: ${refused}`);
  const page = flow.page(context);
  const status = await openPage(page, url, context);
  runPagesOf(page).hosts.add(new URL(page.url()).host);
  return { url: page.url(), ...(status === undefined ? {} : { status }) };
}
