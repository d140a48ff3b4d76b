// A recipe's journal and evidence, taken out of what Playwright reports of its test: live, or merged from blobs.
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { readBytesIfThere, sha256 } from '../../system/files/files.js';
import { protocolNames, type RunIdentity, type TestIdentity } from './reporterProtocol.js';

export function findIdentity(test: TestCase): TestIdentity | undefined {
  return readIdentity(test.annotations, test.location.file);
}

/** `file`: where the test stands, which is the document. */
export function readIdentity(annotations: TestCase['annotations'], file: string): TestIdentity | undefined {
  const descriptions = new Map(annotations.map(({ type, description = '' }) => [type, description]));
  const id = descriptions.get(protocolNames.identity);
  if (id === undefined) return undefined;
  const problem = descriptions.get(protocolNames.problem);
  const flow = descriptions.get(protocolNames.flow);
  return { id, file, ...(problem === undefined ? {} : { invalid: true, problem }), ...(flow === undefined ? {} : { flow }) };
}

/** A recipe that is a test of its own. */
export function readResultParts(identity: TestIdentity, result: TestResult): PackageParts {
  const journal = collectJournal(result, result.steps, '');
  const run = { id: identity.id, key: '' };
  return createPackageParts(run, result, {
    recipe: findRecipeDocument(identity, result),
    journal,
    hostFailure: describeTestFailure(result),
  });
}

/** Of a test that died at once, the document may still lie where it was. */
export function findRecipeDocument({ file, flow }: TestIdentity, result: Attachments): Uint8Array | undefined {
  return findSentRecipe(result) ?? (flow === undefined ? readBytesIfThere(file) : undefined);
}

/** The Recipe v1 document that runs, which is sent before its first node does. */
export function findSentRecipe(result: Attachments): Uint8Array | undefined {
  return findSentBytes(result, protocolNames.recipe)[0];
}

/** The recipes that a native test ran inside of it. */
export function readNestedRuns(result: TestResult): PackageParts[] {
  const runs = new Map<string, NestedSteps>();
  for (const step of result.steps) collectNestedSteps(step, runs);
  return [...runs.values()].map(({ run, steps }) => {
    // What the test does after it is no concern of the recipe.
    const hostFailure = steps.some(({ duration }) => duration < 0) ? describeTestFailure(result) : undefined;
    return createPackageParts(run, result, { journal: collectJournal(result, steps, run.key), hostFailure });
  });
}

/** The project's own actions, as far as the test told of them. */
export function readOwnActions(result: TestResult): string[] {
  return findSentBytes(result, protocolNames.actions).flatMap((bytes) => JSON.parse(Buffer.from(bytes).toString()) as string[]);
}

type NestedSteps = { run: RunIdentity; steps: TestStep[] };

// One that a timeout ended has two: where it ran, and where it was ended.
function collectNestedSteps(step: TestStep, runs: Map<string, NestedSteps>): void {
  const runText = step.params?.[protocolNames.run] as unknown;
  if (typeof runText !== 'string') {
    for (const child of step.steps) collectNestedSteps(child, runs);
    return;
  }
  const run = JSON.parse(runText) as RunIdentity;
  const known = runs.get(run.key) ?? { run, steps: [] };
  known.steps.push(step);
  runs.set(run.key, known);
}

/** What a reporter is given at the end of a test, and a worker has in its TestInfo. */
export type Attachments = Pick<TestResult, 'attachments'>;

type SentParts = { journal: readonly string[]; recipe?: Uint8Array | undefined; hostFailure: string | undefined };

/** `recipe`: in place of the one that was sent. */
export function createPackageParts({ id, key }: RunIdentity, result: Attachments, sent: SentParts): PackageParts {
  const { journal, hostFailure, recipe = findSentBytes(result, `${protocolNames.recipe}${key}`)[0] } = sent;
  return {
    id,
    // What was withheld is null.
    recipe: recipe && ((JSON.parse(Buffer.from(recipe).toString()) as unknown) ?? undefined),
    journal,
    findArtifact: (path, digest) =>
      findSentBytes(result, path).find((bytes) => sha256(bytes) === digest) ?? findSentBytes(result, path)[0],
    documents: readSentDocuments(result, `${protocolNames.document}${key}:`),
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function readSentDocuments(result: Attachments, prefix: string): Map<string, Uint8Array> {
  const sent = result.attachments.filter(({ name }) => name.startsWith(prefix));
  return new Map(sent.map((one) => [one.name.slice(prefix.length), readAttachmentBytes(one) ?? Buffer.alloc(0)]));
}

function collectJournal(result: TestResult, steps: readonly TestStep[], key: string): string[] {
  const end = `${protocolNames.end}${key}`;
  const long = result.attachments.filter(({ name }) => name === end).map((sent) => readAttachmentBytes(sent)?.toString() ?? '');
  const last = result.annotations.filter(({ type }) => type === end).map(({ description = '' }) => description);
  return [...steps.flatMap(collectStepLines), ...long, ...last].sort((a, b) => readSeq(a) - readSeq(b));
}

function collectStepLines(step: TestStep): string[] {
  const begin = step.params?.[protocolNames.begin] as unknown;
  const ends = step.annotations.filter(({ type }) => type === protocolNames.end).map(({ description = '' }) => description);
  return [...(typeof begin === 'string' ? [begin] : []), ...ends, ...step.steps.flatMap(collectStepLines)];
}

function readSeq(line: string): number {
  return Number(/^\{"v":1,"seq":(\d+),/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

export function describeTestFailure({ status, error, errors }: EndedTest): string | undefined {
  if (status === undefined || status === 'passed') return undefined;
  const message = (errors[0] ?? error)?.message ?? '';
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  return `the test ${status === 'timedOut' ? 'timed out' : status}${first ? ` (${first})` : ''}`;
}

/** `status` is missing while the test runs. */
type EndedTest = {
  status?: TestResult['status'];
  error?: { message?: string } | undefined;
  errors: readonly { message?: string }[];
};

type Attachment = TestResult['attachments'][number];

// The project may attach something under the same name.
function findSentBytes(result: Attachments, name: string): Uint8Array[] {
  return result.attachments.filter((sent) => sent.name === name).flatMap((sent) => readAttachmentBytes(sent) ?? []);
}

export function readAttachmentBytes({ body, path }: Attachment): Buffer | undefined {
  return body ?? (path === undefined ? undefined : readBytesIfThere(path));
}

// What is said of a recipe that was planned and left no package.

/** Nothing to say is left of a run that was over before this test began. */
export function describeNotRun(test: TestCase): Pick<SuiteEntry, 'skipped' | 'detail'> {
  const problem = findIdentity(test)?.problem;
  if (problem !== undefined) return { detail: problem };
  const skip = test.expectedStatus === 'skipped' && test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  return skip ? { skipped: true, detail: `The test was skipped${skip.description ? `: ${skip.description}` : ''}.` } : {};
}

/** What a test declares to prove, whether or not it ran. */
export function readDeclaredClaims(test: Pick<TestCase, 'annotations'>): DeclaredClaim[] {
  return test.annotations.flatMap(({ type, description = '' }) => {
    const [, id, claim] = (type === protocolNames.claim && /^(.*?): (.*)$/s.exec(description)) || [];
    return id === undefined || claim === undefined ? [] : [{ id, claim }];
  });
}
