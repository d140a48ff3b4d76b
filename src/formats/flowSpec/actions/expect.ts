import * as z from 'zod';
import { type Action, type ActionContext, type ActionResult, defineAction } from '../../../actions/action.js';
import { pause } from '../../../actions/pause.js';
import { drive } from '../../../actions/ui/drive.js';
import { isNavigationError } from '../../../browser/pageFacts.js';
import { findsPattern } from '../../../engine/patterns.js';
import { readPattern } from '../pattern.js';
import { isBeaconOf } from '../readBeacons.js';
import { readSelector, readText, text } from './fields.js';
import { flowError } from './flowError.js';
import type { FlowRun, Flows } from './flowRun.js';
import { masked } from './masked.js';
import { performStep } from './performStep.js';

const schema = z.strictObject({
  kind: z.enum(['url_contains', 'url_matches', 'text_contains', 'beacon']),
  value: text.optional(),
  selector: text.optional(),
  vendor: text.optional(),
  event: text.optional(),
});

type Fields = z.output<typeof schema>;

/** What it looks at, and whether it is as expected. No model is ever asked. */
type Look = { actual: unknown; held: boolean };
type Expectation = { path: string; expected: unknown; look(): Promise<Look> };

export function expectAction(flows: Flows): Action {
  return defineAction({
    name: 'rw.flow_expect',
    description: 'A deterministic verification of a flow-spec: the address, a text, or a beacon.',
    schema,
    examples: [
      { description: 'See the dashboard.', node: { action: 'rw.flow_expect', kind: 'url_contains', value: '/dashboard' } },
    ],
    effect: 'reads',
    asserts: true,
    fallible: () => true,
    needs: ['page'],
    async run(fields, context) {
      const flow = flows.of(context);
      return performStep(flow, context, (patient) => verify(flow, patient, fields));
    },
  });
}

async function verify(flow: FlowRun, context: ActionContext, fields: Fields): Promise<ActionResult> {
  const { path, expected, look } = expectationOf(flow, context, fields);
  const { actual, held } = await comesTrue(flow, context, look);
  const output = { matched: held, url: flow.page(context).url() };
  const asserts = [{ operator: fields.kind, path, expected, actual, held }];
  if (held) {
    flow.login.judged();
    return { output, asserts };
  }
  const message = `${path} was expected to ${verbs[fields.kind]} ${JSON.stringify(expected)}, but it is ${masked(context, JSON.stringify(actual), 300)}.`;
  return { output, asserts, failure: flowError('assertion_failed', message) };
}

const verbs = { url_contains: 'contain', url_matches: 'match', text_contains: 'contain', beacon: 'include' } as const;
const pauseMs = 100;

/** A click answers before its page has changed: what is not so yet may be so in a moment. */
async function comesTrue({ settings }: FlowRun, context: ActionContext, look: () => Promise<Look>): Promise<Look> {
  const until = context.clock.now() + Math.min(settings.expectMs, context.remainingMs());
  for (;;) {
    const seen = await look();
    if (seen.held || context.clock.now() + pauseMs > until || context.signal.aborted) return seen;
    await pause(context, pauseMs);
  }
}

function expectationOf(flow: FlowRun, context: ActionContext, { kind, value = '', ...rest }: Fields): Expectation {
  const wanted = readText(value, flow.variables);
  const page = flow.page(context);
  if (kind === 'beacon') return beaconExpectation(flow, rest);
  if (kind === 'text_contains') return textExpectation(flow, context, { wanted, selector: rest.selector });
  const read = kind === 'url_matches' ? readPattern(wanted) : undefined;
  if (read && 'problem' in read) throw flowError('spec_step_unresolvable', read.problem);
  const holds = (url: string): boolean => (read ? findsPattern(read.pattern, url) : url.includes(wanted));
  return { path: 'the address', expected: wanted, look: async () => ({ actual: page.url(), held: holds(page.url()) }) };
}

function beaconExpectation(flow: FlowRun, { vendor = '', event }: Omit<Fields, 'kind'>): Expectation {
  const [name, asked] = [readText(vendor, flow.variables), event === undefined ? undefined : readText(event, flow.variables)];
  const look = async (): Promise<Look> => {
    const beacons = flow.guard?.beacons ?? [];
    const actual = beacons.slice(-20).map((each) => `${each.vendor} ${each.event_name ?? '(no event)'}`);
    return { actual, held: beacons.some((each) => isBeaconOf(each, name, asked)) };
  };
  return { path: 'the beacons', expected: asked === undefined ? name : `${name} ${asked}`, look };
}

type TextWanted = { wanted: string; selector: Fields['selector'] };

function textExpectation(flow: FlowRun, context: ActionContext, { wanted, selector }: TextWanted): Expectation {
  const page = flow.page(context);
  const where = selector === undefined ? 'body' : readSelector(selector, flow.variables);
  const plain = (given: string): string => given.replace(/\s+/g, ' ').toLowerCase();
  const look = async (): Promise<Look> => {
    // A page that is just being left says nothing; the next one may.
    const [first] = await drive(() => context.call(page.locator(where), 'allInnerTexts'), context).catch((thrown: unknown) => {
      if (isNavigationError(thrown)) return [];
      throw thrown;
    });
    return {
      actual: first === undefined ? 'not there' : masked(context, first, 2_000),
      held: first !== undefined && plain(first).includes(plain(wanted)),
    };
  };
  return { path: where === 'body' ? 'the page' : where, expected: wanted, look };
}
