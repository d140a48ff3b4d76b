// Runs a recipe on a page of the test, with the engine of the hosts.
import type { Page } from '@playwright/test';
import { loadDocument } from '../../src/check/loadRecipe.js';
import { readDocument } from '../../src/document/readDocument.js';
import type { Capture, EndLine, JournalLine } from '../../src/evidence/journal.js';
import { openJournal } from '../../src/evidence/journal.js';
import { newRunId } from '../../src/evidence/runIdentity.js';
import { plainCall } from '../../src/hosts/plain/plainHost.js';
import { createCapabilities } from '../../src/registry/capabilities.js';
import type { Host, HostStep } from '../../src/run/host.js';
import { noSecrets, readSecrets } from '../../src/run/inputs/readSecrets.js';
import { maskJournal } from '../../src/run/maskErrorsAndJournal.js';
import { Session } from '../../src/run/session.js';
import { type Clock, systemClock } from '../../src/system/clock.js';
import { type CutShort, cutShortBy } from './cutShort.js';
import { type Nodes, type Rest, recipe } from './recipe.js';

export type UiRun = {
  status: string;
  cause: string | undefined;
  /** The end line of each node, by id. */
  ends: Map<string, EndLine>;
  /** The error of the last failed node, as `code: message`. */
  error: string;
  pictures: Capture[];
  /** Every page call that a host would report. */
  calls: string[];
  journal: string[];
};

export type UiOptions = Rest & {
  nodeTimeoutMs?: number;
  env?: Record<string, string>;
  clock?: Clock;
  cutShort?: CutShort;
  /** Called before each node. The node begins when the result has settled. */
  began?(nodeId: string): unknown;
  /** Called for each page call of a node that returned. */
  answered?(method: string, nodeId: string): void;
  /** Called for each page call that failed, before the node gets the error. */
  failed?(method: string, nodeId: string): void;
};

// Long enough that only an event ends a node. A test of a timeout sets a shorter one.
const defaultNodeTimeoutMs = 60_000;

export async function uiRun(
  page: Page,
  nodes: Nodes,
  { nodeTimeoutMs = defaultNodeTimeoutMs, env, clock = systemClock, cutShort, began, answered, failed, ...rest }: UiOptions = {},
): Promise<UiRun> {
  const { registry, operators, stateRefs } = createCapabilities();
  const text = Buffer.from(JSON.stringify(recipe(nodes, rest)));
  const { loaded, findings } = loadDocument(readDocument('/lab/a.recipe.json', text), { registry, projectRoot: '/lab' });
  if (!loaded) throw new Error(findings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  const secrets = env ? readSecrets(loaded, { env, projectRoot: '/lab' }) : noSecrets;
  const run: UiRun = { status: '', cause: undefined, ends: new Map(), error: '', pictures: [], calls: [], journal: [] };
  const session = new Session({
    ...{ id: 'a', loaded, registry, operators, stateRefs, secrets, nodeTimeoutMs, projectRoot: '/lab', clock },
    ...{ inputs: {}, runId: newRunId(), attempt: 0, passEnv: [], teardownMs: 1_000, allowBlocked: false },
    ask: async () => undefined,
    host: hostOf(page, run, { cutShort, began, answered, failed }),
    journal: maskJournal(
      openJournal(clock, (line) => void run.journal.push(line)),
      secrets.vault,
    ),
  });
  const { verdict } = await session.runGraph();
  await session.close();
  run.status = verdict.status;
  for (const line of run.journal.map((each) => JSON.parse(each) as JournalLine)) readLine(run, line);
  return run;
}

function readLine(run: UiRun, line: JournalLine): void {
  if (line.t !== 'end' || line.path === '') return;
  run.ends.set(line.path, line);
  if (!line.error) return;
  run.error = `${line.error.code}: ${line.error.message}`;
  run.cause = line.error.cause_class;
}

type Hooks = { [name in 'cutShort' | 'began' | 'answered' | 'failed']: UiOptions[name] | undefined };

function hostOf(page: Page, run: UiRun, { cutShort, began, answered, failed }: Hooks): Host {
  const shortenTimeout = cutShortBy(cutShort);
  return {
    ...{ name: 'lab', version: '1', fixtures: { page } },
    step(info, body) {
      const node = info.subtitle.split(' ')[0] ?? '';
      const ready = began?.(node);
      const call = ((target: object, method: string, ...args: unknown[]) => {
        run.calls.push(`${method} ${JSON.stringify(args)}`);
        const answer = (plainCall as (...all: unknown[]) => unknown)(target, method, ...shortenTimeout(args, node));
        if (!(answer instanceof Promise) || !(answered || failed)) return answer;
        return answer.then(
          (value) => {
            answered?.(method, node);
            return value;
          },
          (thrown) => {
            failed?.(method, node);
            throw thrown;
          },
        );
      }) as typeof plainCall;
      const step: HostStep = {
        attach: async (capture) => void run.pictures.push(capture),
        end: () => undefined,
        within: (child) => child(),
        call,
      };
      return ready instanceof Promise ? ready.then(() => body(step)) : body(step);
    },
  };
}
