// Runs a flow-spec in a real browser, with the same engine as the hosts.
import type { Browser, Page } from '@playwright/test';
import { runPagesOf } from '../../src/browser/runPages.js';
import { createPlan } from '../../src/check/createPlan.js';
import type { Capture } from '../../src/evidence/journal.js';
import { type EndLine, type JournalLine, openJournal } from '../../src/evidence/journal.js';
import { newRunId } from '../../src/evidence/runIdentity.js';
import { flowSpecActions } from '../../src/formats/flowSpec/actions/flowSpecActions.js';
import type { BeaconEvent } from '../../src/formats/flowSpec/readBeacons.js';
import type { FlowFinding, StepRecord } from '../../src/formats/flowSpec/run/flowRun.js';
import type { FlowSettings } from '../../src/formats/flowSpec/settings.js';
import { plainCall } from '../../src/hosts/plain/plainHost.js';
import { createRegistry } from '../../src/registry/registry.js';
import { readSecrets } from '../../src/run/inputs/readSecrets.js';
import { maskJournal } from '../../src/run/maskErrorsAndJournal.js';
import { Session } from '../../src/run/session.js';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { type CutShort, cutShortBy } from '../support/cutShort.js';
import { checkSpec, specDocument } from '../unit/formats/flowSpec/spec.js';

export type FlowReport = {
  run: { status: string; failure_class?: string; alert?: string; step?: string };
  steps: StepRecord[];
  assertions: { id: string; status: string }[];
  findings: FlowFinding[];
  blocked: { url: string; what: string; why: string }[];
  target_resolver_calls: number;
};

export type FlowResult = {
  status: string;
  cause: string | undefined;
  /** The error of the first node that failed. */
  error: string;
  ends: Map<string, EndLine>;
  report: FlowReport;
  beacons: BeaconEvent[];
  /** Everything that a run stores or shows: journal, artifacts, calls and titles. */
  everything: string;
  pages: number;
};

export type FlowOptions = FlowSettings & {
  browser: Browser;
  env?: Record<string, string>;
  nodeTimeoutMs?: number;
  clock?: Clock;
  cutShort?: CutShort;
  /** Called when a node begins. */
  began?(node: string): void;
  /** Called when a page call of a node has succeeded. */
  answered?(method: string, node: string): void;
  /** Called when a page call of a node has failed. */
  failed?(method: string, node: string): void;
};

export async function runFlow(
  value: unknown,
  { browser, env = {}, nodeTimeoutMs = 60_000, clock = systemClock, cutShort, began, answered, failed, ...settings }: FlowOptions,
): Promise<FlowResult> {
  const { compiled, errors, recipeErrors } = checkSpec(value);
  if (!compiled || recipeErrors.length > 0) throw new Error([...errors, ...recipeErrors].join('\n'));
  const registry = createRegistry({ custom: flowSpecActions(settings) });
  const plan = createPlan(compiled, registry);
  if ('code' in plan) throw new Error(plan.message);
  const secrets = readSecrets({ compiled }, { env, projectRoot: '/lab' });
  if (secrets.findings.length > 0) throw new Error(secrets.findings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  const [journal, captures, shownTexts]: [string[], Capture[], string[]] = [[], [], []];
  const shortenTimeouts = cutShortBy(cutShort);
  const page = await takePage(browser);
  const session = new Session({
    ...{
      id: 'a',
      loaded: { document: specDocument(value), compiled, plan },
      registry,
      operators: new Map(),
      stateRefs: new Map(),
    },
    ...{
      secrets,
      nodeTimeoutMs,
      projectRoot: '/lab',
      clock,
      inputs: {},
      runId: newRunId(),
      attempt: 0,
      passEnv: [],
    },
    ...{ teardownMs: 5_000, allowBlocked: false, ask: async () => undefined },
    host: {
      ...{ name: 'lab', version: '1', fixtures: { page, browser } },
      step(info, body) {
        shownTexts.push(info.title, info.subtitle);
        const node = info.subtitle.split(' ')[0] ?? '';
        began?.(node);
        const call = ((target: object, method: string, ...args: unknown[]) => {
          shownTexts.push(`${method} ${JSON.stringify(args)}`);
          const shortenedArgs = shortenTimeouts(args, node);
          const answer = (plainCall as (...all: unknown[]) => unknown)(target, method, ...shortenedArgs);
          if (answer instanceof Promise)
            answer.then(
              () => answered?.(method, node),
              () => failed?.(method, node),
            );
          return answer;
        }) as typeof plainCall;
        return body({
          attach: async (capture) => void captures.push(capture),
          end: () => undefined,
          within: (child) => child(),
          call,
        });
      },
    },
    journal: maskJournal(
      openJournal(clock, (line) => void journal.push(line)),
      secrets.vault,
    ),
  });
  try {
    await session.runGraph();
    const { verdict } = await session.close();
    const texts = captures.map(({ body }) => Buffer.from(body).toString('latin1'));
    const everything = [...journal, ...texts, ...shownTexts].join('\n');
    return { status: verdict.status, everything, pages: browser.contexts().length, ...readResult(journal, captures) };
  } finally {
    returnPage(browser, page);
  }
}

/** Pages for reuse: a flow opens its own page and leaves the page of the host empty. */
const idlePages = new WeakMap<Browser, Page[]>();

async function takePage(browser: Browser): Promise<Page> {
  const idle = idlePages.get(browser) ?? [];
  // The contexts are closed at the end of each test file.
  for (let page = idle.pop(); page; page = idle.pop()) if (!page.isClosed()) return page;
  return (await browser.newContext()).newPage();
}

function returnPage(browser: Browser, page: Page): void {
  runPagesOf(page).stopListening();
  idlePages.set(browser, [...(idlePages.get(browser) ?? []), page]);
}

function readResult(
  journal: readonly string[],
  captures: readonly Capture[],
): Omit<FlowResult, 'status' | 'everything' | 'pages'> {
  const ended = journal
    .map((line) => JSON.parse(line) as JournalLine)
    .filter((line): line is EndLine => line.t === 'end' && line.path !== '');
  const failed = ended.find(({ error, tolerated }) => error && !tolerated);
  const read = (name: string): unknown => {
    const found = captures.find(({ path }) => path === name);
    return found && JSON.parse(Buffer.from(found.body).toString());
  };
  return {
    error: failed?.error ? `${failed.error.code}: ${failed.error.message}` : '',
    cause: failed?.error?.cause_class,
    ends: new Map(ended.map((line) => [line.path, line])),
    report: read('findings.json') as FlowReport,
    beacons: (read('beacons.json') ?? []) as BeaconEvent[],
  };
}
