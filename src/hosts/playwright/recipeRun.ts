// One recipe in one Playwright test: the graph in the body, teardown and the closing line in a fixture.
import { type TestInfo, test } from '@playwright/test';
import type { LoadedRecipe, LoadResult } from '../../check/loadRecipe.js';
import type { Place } from '../../document/finding.js';
import type { Verdict } from '../../evidence/verdict.js';
import type { Capabilities } from '../../registry/capabilities.js';
import { readSecrets } from '../../run/inputs/readSecrets.js';
import { collectRefusalDocuments } from '../../run/packageDocuments.js';
import type { Session } from '../../run/session.js';
import { pointAt } from './atPlace.js';
import type { Entry } from './entry.js';
import type { RecipeValues } from './hostProject.js';
import { refusedError } from './invalidError.js';
import { type OpenSession, openSession } from './openSession.js';
import { identityIn } from './readResult.js';
import type { RecipeHost } from './recipeHost.js';
import { sendDocument, sendDocuments, withholdDocuments } from './sendDocuments.js';
import { withShortStack } from './shortStack.js';
import { wire } from './wire.js';
import { workerPackagesOf } from './workerPackages.js';

export type KnownTest = { load(): LoadResult; projectRoot: string; equipment: Pick<Capabilities, 'registry' | 'ownActions'> };

/** The tests of this process by the id of their package, for the fixture that hands documents over before any other can fail. */
export const tests = new Map<string, KnownTest>();

/** Hands the document over, and begins the package where no reporter writes it. */
export async function begin(testInfo: TestInfo): Promise<void> {
  const packages = await workerPackagesOf(testInfo);
  const id = identityIn(testInfo.annotations, testInfo.file)?.id;
  if (id !== undefined) packages?.register({ id, key: '' });
  try {
    announce(testInfo);
  } finally {
    packages?.start('');
  }
}

/** @throws when a secret, or a variable, is not there: no browser is started for a run that cannot be. */
function announce(testInfo: TestInfo): void {
  const known = tests.get(identityIn(testInfo.annotations, testInfo.file)?.id ?? '');
  const load = known?.load();
  const loaded = load?.loaded ?? load?.rejected;
  if (!known || !loaded) return;
  const { ownActions, registry } = known.equipment;
  const secrets = readSecrets(loaded, { env: process.env, projectRoot: known.projectRoot });
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
  throw refusedError(missing);
}

/** What is done last, after the fixtures of the recipe: pages that live on are not listened to any more. */
export type Afterwards = { leave?(): void };

/** What the body of the test leaves for the fixture that ends it. */
export type RecipeRun = { open?: OpenSession; id?: string; place?: Place; verdict?: Verdict; values: RecipeValues };

export type RecipeTest = { host: RecipeHost; entry: Entry; loaded: LoadedRecipe };

export async function runInTest(
  { host, entry, loaded }: RecipeTest,
  given: Readonly<Record<string, unknown>>,
  testInfo: TestInfo,
): Promise<void> {
  const { recipeRun, recipeDocument, ...fixtures } = given;
  const run = recipeRun as RecipeRun;
  const { id, place, flow } = entry;
  // To listen to a page is a call of Playwright's, too.
  const open = withShortStack(() => openSession({ host, id, loaded, flow: flow?.id, fixtures, values: run.values }, testInfo));
  const { session } = open;
  run.open = open;
  run.id = id;
  run.place = place;
  (recipeDocument as Afterwards).leave = open.leave;
  const outer = { location: place, subtitle: id, params: { [wire.begin]: session.opening } };
  // Steps inside one outer step cost a third of top-level ones, which Playwright searches through each time.
  await test.step(
    'Run the recipe',
    async () => {
      const { verdict, failure } = await session.runGraph();
      run.verdict = verdict;
      if (verdict.status !== 'pass') throw verdictError(verdict, { id, place }, failure);
    },
    outer,
  );
}

/** Runs as the teardown of a fixture: stops what a timeout left running, tears down, writes the last line, and has the last word. */
export async function closeRun({ open, id = '', place, verdict: soFar }: RecipeRun): Promise<void> {
  if (!open || !place) return;
  if (!soFar) interrupt(open.session);
  const { line, verdict } = await open.close();
  // JUnit shows the annotations of a test, and attachments only when they are files.
  test.info().attachments.push({ name: wire.end, body: Buffer.from(line), contentType: 'application/json' });
  if (soFar?.status === 'pass' && verdict.status !== 'pass') throw verdictError(verdict, { id, place });
}

export function interrupt(session: Session): void {
  const { status } = test.info();
  const why = { interrupted: 'the test was stopped', timedOut: 'the time of the test was over' };
  session.interrupt({
    why: why[status as keyof typeof why] ?? 'the test ended before it did',
    hurries: status === 'interrupted',
  });
}

/**
 * The error of a run that did not pass; `failure` when one node is to blame.
 * Reports tell a failed expectation from a broken test by the words `expect(…).matcher` alone (playwright/src/reporters/junit.ts, 1.65.0).
 */
export function verdictError({ status, reason }: Verdict, { id, place }: { id: string; place: Place }, failure?: Error): Error {
  const error = failure ?? new Error(`The recipe's verdict is ${status}: ${reason}`);
  if (!failure) pointAt(error, place, 'recipe');
  if (status === 'fail') addToMessage(error, `\n\nexpect(${id}).toPass()`);
  return error;
}

function addToMessage(error: Error, text: string): void {
  const { message, stack } = error;
  error.message = `${message}${text}`;
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
}
