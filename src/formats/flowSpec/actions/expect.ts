// rw.flow_expect: checks the URL, a text or a beacon, without a language model.
import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { sleep } from '../../../actions/sleep.js';
import { withPageErrors } from '../../../actions/ui/withPageErrors.js';
import { isNavigationError } from '../../../browser/pageFacts.js';
import { findsPattern } from '../../../engine/patterns.js';
import { createFlowError } from '../failureClass.js';
import { isBeaconOf } from '../readBeacons.js';
import { readPattern } from '../readPattern.js';
import type { FlowRun, FlowRuns } from '../run/flowRun.js';
import { fillSelector, fillVariables, flowTextSchema, maskText } from '../run/flowText.js';
import { runStep } from '../run/runStep.js';

const schema = z.strictObject({
  kind: z.enum(['url_contains', 'url_matches', 'text_contains', 'beacon']),
  value: flowTextSchema.optional(),
  selector: flowTextSchema.optional(),
  vendor: flowTextSchema.optional(),
  event: flowTextSchema.optional(),
});

type Fields = z.output<typeof schema>;

type Observation = { actual: unknown; held: boolean };
type Expectation = { path: string; expected: unknown; observe(): Promise<Observation> };

export function expectAction(flows: FlowRuns): Action {
  return defineAction({
    name: 'rw.flow_expect',
    description: 'Checks the URL, a text or a beacon in a flow-spec, without a language model.',
    schema,
    examples: [
      { description: 'See the dashboard.', node: { action: 'rw.flow_expect', kind: 'url_contains', value: '/dashboard' } },
    ],
    effect: 'reads',
    asserts: true,
    fallible: () => true,
    needs: ['page'],
    async run(fields, context) {
      const flow = flows.getRun(context);
      return runStep(flow, context, (stepContext) => verifyExpectation(flow, stepContext, fields));
    },
  });
}

async function verifyExpectation(flow: FlowRun, context: ActionContext, fields: Fields): Promise<ActionResult> {
  const { path, expected, observe } = createExpectation(flow, context, fields);
  const { actual, held } = await pollUntilHeld(flow, context, observe);
  const output = { matched: held, url: flow.page(context).url() };
  const asserts = [{ operator: fields.kind, path, expected, actual, held }];
  if (held) {
    flow.login.markOutcomeChecked();
    return { output, asserts };
  }
  const message = `${path} was expected to ${verbs[fields.kind]} ${JSON.stringify(expected)}, but it is ${maskText(context, JSON.stringify(actual), 300)}.`;
  return { output, asserts, failure: createFlowError('assertion_failed', message) };
}

const verbs = { url_contains: 'contain', url_matches: 'match', text_contains: 'contain', beacon: 'include' } as const;
const pollMs = 100;

/** Polls the page, because a click returns before the page has changed. */
async function pollUntilHeld(
  { settings }: FlowRun,
  context: ActionContext,
  observe: () => Promise<Observation>,
): Promise<Observation> {
  const deadline = context.clock.now() + Math.min(settings.expectMs, context.remainingMs());
  for (;;) {
    const observation = await observe();
    if (observation.held || context.clock.now() + pollMs > deadline || context.signal.aborted) return observation;
    await sleep(context, pollMs);
  }
}

function createExpectation(flow: FlowRun, context: ActionContext, { kind, value = '', ...rest }: Fields): Expectation {
  const expected = fillVariables(value, flow.variables);
  const page = flow.page(context);
  if (kind === 'beacon') return createBeaconExpectation(flow, rest);
  if (kind === 'text_contains') return createTextExpectation(flow, context, { expected, selector: rest.selector });
  const read = kind === 'url_matches' ? readPattern(expected) : undefined;
  if (read && 'problem' in read) throw createFlowError('spec_step_unresolvable', read.problem);
  const holds = (url: string): boolean => (read ? findsPattern(read.pattern, url) : url.includes(expected));
  return { path: 'the URL', expected, observe: async () => ({ actual: page.url(), held: holds(page.url()) }) };
}

function createBeaconExpectation(flow: FlowRun, { vendor = '', event }: Omit<Fields, 'kind'>): Expectation {
  const vendorName = fillVariables(vendor, flow.variables);
  const eventName = event === undefined ? undefined : fillVariables(event, flow.variables);
  const observe = async (): Promise<Observation> => {
    const beacons = flow.guard?.beacons ?? [];
    const actual = beacons.slice(-20).map((beacon) => `${beacon.vendor} ${beacon.event_name ?? '(no event)'}`);
    return { actual, held: beacons.some((beacon) => isBeaconOf(beacon, vendorName, eventName)) };
  };
  return { path: 'the beacons', expected: eventName === undefined ? vendorName : `${vendorName} ${eventName}`, observe };
}

type TextExpectationInput = { expected: string; selector: Fields['selector'] };

function createTextExpectation(flow: FlowRun, context: ActionContext, { expected, selector }: TextExpectationInput): Expectation {
  const page = flow.page(context);
  const pageSelector = selector === undefined ? 'body' : fillSelector(selector, flow.variables);
  const normalize = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
  const observe = async (): Promise<Observation> => {
    // Fails during a navigation. The next poll reads the next page.
    const [first] = await withPageErrors(() => context.call(page.locator(pageSelector), 'allInnerTexts'), context).catch(
      (thrown: unknown) => {
        if (isNavigationError(thrown)) return [];
        throw thrown;
      },
    );
    return {
      actual: first === undefined ? 'missing' : maskText(context, first, 2_000),
      held: first !== undefined && normalize(first).includes(normalize(expected)),
    };
  };
  return { path: pageSelector === 'body' ? 'the page' : pageSelector, expected, observe };
}
