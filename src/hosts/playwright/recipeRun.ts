// One recipe in one Playwright test: the graph in the body, teardown and the closing line in a fixture.
import { type TestInfo, test } from '@playwright/test';
import type { Equipment } from '../../actions/equipment.js';
import type { Loaded } from '../../check/loadRecipe.js';
import type { Finding, Place } from '../../document/finding.js';
import { openJournal } from '../../evidence/journal.js';
import type { Verdict } from '../../evidence/verdict.js';
import { reachable } from '../../graph/plan.js';
import { resolveInputs } from '../../run/inputs.js';
import { defaultNodeTimeoutMs, defaultTeardownMs } from '../../run/job.js';
import { newRunId } from '../../run/recipeId.js';
import { noSecrets } from '../../run/secrets.js';
import { Session } from '../../run/session.js';
import { longestMs } from '../../run/targets.js';
import { systemClock } from '../../system/clock.js';
import { pointAt, prepareCalls } from './atPlace.js';
import { playwrightHost } from './playwrightHost.js';
import { wire } from './wire.js';

/** The documents of this process, by file, for the fixture that hands them over before any other fixture can fail. */
export const documents = new Map<string, unknown>();

export async function sendDocument(testInfo: TestInfo): Promise<void> {
  const identity = testInfo.annotations.find(({ type }) => type === wire.identity)?.description;
  const { file } = JSON.parse(identity ?? '{}') as { file?: string };
  const document = documents.get(file ?? '');
  if (document === undefined) return;
  // A push makes no step of its own, and so no look at the stack.
  const body = Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
  testInfo.attachments.push({ name: wire.recipe, body, contentType: 'application/json' });
}

/** What the body of the test leaves for the fixture that ends it. */
export type RecipeRun = { session?: Session; place?: Place; verdict?: Verdict };

export type RecipeTest = { id: string; loaded: Loaded; equipment: Equipment; projectRoot: string; place: Place };

export async function runInTest(
  recipe: RecipeTest,
  fixtures: Readonly<Record<string, unknown>>,
  testInfo: TestInfo,
): Promise<void> {
  const { recipeRun, recipeDocument: _, ...given } = fixtures;
  const run = recipeRun as RecipeRun;
  const { id, loaded, equipment, projectRoot, place } = recipe;
  const { registry, operators, stateRefs } = equipment;
  const { inputs, findings } = resolveInputs(loaded.compiled, { env: process.env });
  const [refused] = findings;
  if (refused) throw refusedError(refused);
  // A node is given up at its own deadline, by name; the test's timeout only catches what has none.
  if (testInfo.timeout > 0) testInfo.setTimeout(testInfo.timeout + longestMs(loaded, registry, defaultNodeTimeoutMs));
  const session = new Session({
    ...{ id, loaded, registry, projectRoot, attempt: testInfo.retry, nodeTimeoutMs: defaultNodeTimeoutMs, clock: systemClock },
    ...{
      inputs,
      secrets: noSecrets,
      operators,
      stateRefs,
      teardownMs: defaultTeardownMs,
      ask: async () => undefined,
      allowBlocked: false,
    },
    runId: newRunId(),
    passEnv: [],
    host: playwrightHost(testInfo, given),
    journal: openJournal(systemClock, () => undefined),
  });
  const places = [...reachable(loaded.plan.main)].map(({ node }) => loaded.compiled.origin(node.recipe.pointer));
  prepareCalls(places.filter(({ file }) => file === place.file));
  run.session = session;
  run.place = place;
  const outer = { location: place, subtitle: id, params: { [wire.begin]: session.opening } };
  // Steps inside one outer step cost a third of top-level ones, which Playwright searches through each time.
  await test.step(
    'Run the recipe',
    async () => {
      const { verdict, failure } = await session.runGraph();
      run.verdict = verdict;
      if (verdict.status !== 'pass') throw failure ?? verdictError(verdict, place);
    },
    outer,
  );
}

/** Runs as the teardown of a fixture: stops what a timeout left running, tears down, writes the last line, and has the last word. */
export async function closeRun({ session, place, verdict: soFar }: RecipeRun): Promise<void> {
  if (!session || !place) return;
  if (!soFar)
    session.interrupt({ why: test.info().status === 'interrupted' ? 'the test was stopped' : 'the time of the test was over' });
  const { line, verdict } = await session.close();
  test.info().annotations.push({ type: wire.end, description: line });
  if (soFar?.status === 'pass' && verdict.status !== 'pass') throw verdictError(verdict, place);
}

function refusedError(finding: Finding): Error {
  const error = new Error(`The recipe cannot be run: ${finding.message}${finding.hint ? `\n${finding.hint}` : ''}`);
  pointAt(error, finding.place, 'recipe');
  return error;
}

function verdictError({ status, reason }: Verdict, place: Place): Error {
  const error = new Error(`The recipe's verdict is ${status}: ${reason}`);
  pointAt(error, place, 'recipe');
  return error;
}
