// Runs one recipe as one Playwright test: its graph in the body of the test, its teardown and the last line of its journal in a fixture.
import { type TestInfo, test } from '@playwright/test';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { collectRefusalDocuments } from '../../run/collectDocuments.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import type { Session } from '../../run/session.js';
import { withShortStack } from './internals/shortStack.js';
import { openSession } from './openSession.js';
import type { ProjectContext, RecipeRun, TestCleanup } from './projectContext.js';
import { readIdentity } from './readTestResult.js';
import { createRefusedError, createVerdictError } from './recipeErrors.js';
import { protocolNames, sendDocument, sendDocuments, withholdDocuments } from './reporterProtocol.js';
import type { TestEntry } from './testEntry.js';
import { openWorkerPackages } from './workerPackages.js';

type RegisteredTest = {
  load(): LoadResult;
  projectRoot: string;
  capabilities: Pick<Capabilities, 'registry' | 'ownActions'>;
};

/** Tests by the ids of their packages. A fixture sends their documents before any other fixture can fail. */
export const registeredTests = new Map<string, RegisteredTest>();

/** Sends the documents, and starts the package unless a reporter or a merge writes it. */
export async function beginPackage(testInfo: TestInfo): Promise<void> {
  const packages = await openWorkerPackages(testInfo);
  const id = readIdentity(testInfo.annotations, testInfo.file)?.id;
  if (id !== undefined) packages?.register({ id, key: '' });
  try {
    sendTestDocuments(testInfo);
  } finally {
    packages?.start('');
  }
}

/** @throws when a secret or a variable is missing, before a browser starts for a recipe that cannot run */
function sendTestDocuments(testInfo: TestInfo): void {
  const registered = registeredTests.get(readIdentity(testInfo.annotations, testInfo.file)?.id ?? '');
  const load = registered?.load();
  const loaded = load?.loaded ?? load?.rejected;
  if (!registered || !loaded) return;
  const { ownActions, registry } = registered.capabilities;
  const secrets = readSecrets(loaded, { env: process.env, projectRoot: registered.projectRoot });
  // A document that holds a secret must not be part of any evidence.
  const isSafe = !secrets.findings.some(({ code }) => code === 'inputs.secret_in_recipe');
  if (isSafe) sendDocuments({ loaded, ownActions }, testInfo);
  else withholdDocuments(testInfo);
  const findings = [...(load?.findings ?? []), ...secrets.findings].filter(({ severity }) => severity === 'error');
  const [missing] = findings;
  if (!missing) return;
  if (isSafe)
    for (const [path, text] of collectRefusalDocuments(loaded, registry, findings))
      sendDocument(testInfo, path, Buffer.from(text));
  throw createRefusedError(missing);
}

type RecipeTestRun = { context: ProjectContext; entry: TestEntry; loaded: LoadedRecipe };

export async function runRecipeTest(
  { context, entry, loaded }: RecipeTestRun,
  fixtureValues: Readonly<Record<string, unknown>>,
  testInfo: TestInfo,
): Promise<void> {
  const { recipeRun, recipeDocument, ...fixtures } = fixtureValues;
  const run = recipeRun as RecipeRun;
  const { id, place, flow } = entry;
  // Opening the session calls Playwright too, because the session listens to its page.
  const open = withShortStack(() => openSession({ context, id, loaded, flow: flow?.id, fixtures, values: run.values }, testInfo));
  const { session } = open;
  run.open = open;
  run.id = id;
  run.place = place;
  (recipeDocument as TestCleanup).stopListening = open.stopListening;
  const stepOptions = { location: place, subtitle: id, params: { [protocolNames.begin]: session.opening } };
  // One outer step, because Playwright searches all top-level steps for each new step. Nested steps take a third of the time.
  await test.step(
    'Run the recipe',
    async () => {
      const { verdict, failure } = await session.runGraph();
      run.verdict = verdict;
      if (verdict.status !== 'pass') throw createVerdictError(verdict, { id, place }, failure);
    },
    stepOptions,
  );
}

/**
 * Ends a run in the teardown of a fixture: stops the run after a timeout, tears the recipe down and sends the last line.
 * @throws when the teardown turns a pass into another verdict
 */
export async function closeRun({ open, id = '', place, verdict: verdictBefore }: RecipeRun): Promise<void> {
  if (!open || !place) return;
  if (!verdictBefore) interruptSession(open.session);
  const { line, verdict } = await open.close();
  // The JUnit report shows annotations of a test, but not attachments without a file.
  test.info().attachments.push({ name: protocolNames.end, body: Buffer.from(line), contentType: 'application/json' });
  if (verdictBefore?.status === 'pass' && verdict.status !== 'pass') throw createVerdictError(verdict, { id, place });
}

export function interruptSession(session: Session): void {
  const { status } = test.info();
  const reasons = { interrupted: 'the test was stopped', timedOut: 'the test timed out' };
  session.interrupt({
    why: reasons[status as keyof typeof reasons] ?? 'the test ended before the recipe',
    isUrgent: status === 'interrupted',
  });
}
