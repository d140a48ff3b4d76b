// One recipe in one Playwright test: the graph in the body, teardown and the closing line in a fixture.
import { type TestInfo, test } from '@playwright/test';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import { collectRefusalDocuments } from '../../run/packageDocuments.js';
import type { Session } from '../../run/session.js';
import { withShortStack } from './internals/shortStack.js';
import { openSession } from './openSession.js';
import type { ProjectContext, RecipeRun, TestCleanup } from './projectContext.js';
import { readIdentity } from './readTestResult.js';
import { createRefusedError, createVerdictError } from './recipeErrors.js';
import { protocolNames, sendDocument, sendDocuments, withholdDocuments } from './reporterProtocol.js';
import type { TestEntry } from './testEntry.js';
import { openWorkerPackages } from './workerPackages.js';

export type RegisteredTest = {
  load(): LoadResult;
  projectRoot: string;
  equipment: Pick<Capabilities, 'registry' | 'ownActions'>;
};

/** The tests of this process by the id of their package, for the fixture that hands documents over before any other can fail. */
export const registeredTests = new Map<string, RegisteredTest>();

/** Hands the document over, and begins the package where no reporter writes it. */
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

/** @throws when a secret, or a variable, is not there: no browser is started for a run that cannot be. */
function sendTestDocuments(testInfo: TestInfo): void {
  const registered = registeredTests.get(readIdentity(testInfo.annotations, testInfo.file)?.id ?? '');
  const load = registered?.load();
  const loaded = load?.loaded ?? load?.rejected;
  if (!registered || !loaded) return;
  const { ownActions, registry } = registered.equipment;
  const secrets = readSecrets(loaded, { env: process.env, projectRoot: registered.projectRoot });
  // A document that holds a secret is part of no evidence.
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

export type RecipeTestRun = { host: ProjectContext; entry: TestEntry; loaded: LoadedRecipe };

export async function runRecipeTest(
  { host, entry, loaded }: RecipeTestRun,
  fixtureValues: Readonly<Record<string, unknown>>,
  testInfo: TestInfo,
): Promise<void> {
  const { recipeRun, recipeDocument, ...fixtures } = fixtureValues;
  const run = recipeRun as RecipeRun;
  const { id, place, flow } = entry;
  // To listen to a page is a call of Playwright's, too.
  const open = withShortStack(() => openSession({ host, id, loaded, flow: flow?.id, fixtures, values: run.values }, testInfo));
  const { session } = open;
  run.open = open;
  run.id = id;
  run.place = place;
  (recipeDocument as TestCleanup).stopListening = open.stopListening;
  const outer = { location: place, subtitle: id, params: { [protocolNames.begin]: session.opening } };
  // Steps inside one outer step cost a third of top-level ones, which Playwright searches through each time.
  await test.step(
    'Run the recipe',
    async () => {
      const { verdict, failure } = await session.runGraph();
      run.verdict = verdict;
      if (verdict.status !== 'pass') throw createVerdictError(verdict, { id, place }, failure);
    },
    outer,
  );
}

/** Runs as the teardown of a fixture: stops what a timeout left running, tears down, writes the last line, and has the last word. */
export async function closeRun({ open, id = '', place, verdict: verdictBefore }: RecipeRun): Promise<void> {
  if (!open || !place) return;
  if (!verdictBefore) interruptSession(open.session);
  const { line, verdict } = await open.close();
  // JUnit shows the annotations of a test, and attachments only when they are files.
  test.info().attachments.push({ name: protocolNames.end, body: Buffer.from(line), contentType: 'application/json' });
  if (verdictBefore?.status === 'pass' && verdict.status !== 'pass') throw createVerdictError(verdict, { id, place });
}

export function interruptSession(session: Session): void {
  const { status } = test.info();
  const why = { interrupted: 'the test was stopped', timedOut: 'the time of the test was over' };
  session.interrupt({
    why: why[status as keyof typeof why] ?? 'the test ended before it did',
    hurries: status === 'interrupted',
  });
}
