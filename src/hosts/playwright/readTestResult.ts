// Reads the journal and evidence of a recipe from Playwright's result of its test, in a live run or from merged blob reports.
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { DeclaredClaim, SuiteEntry } from '../../evidence/suite.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { readBytesIfThere, sha256 } from '../../system/files/files.js';
import { readFirstLine } from '../shared/readFirstLine.js';
import { protocolNames, type RunIdentity, type TestIdentity } from './reporterProtocol.js';

export function findIdentity(test: TestCase): TestIdentity | undefined {
  return readIdentity(test.annotations, test.location.file);
}

/** `file` is the document that the test is located in. */
export function readIdentity(annotations: TestCase['annotations'], file: string): TestIdentity | undefined {
  const descriptions = new Map(annotations.map(({ type, description = '' }) => [type, description]));
  const id = descriptions.get(protocolNames.identity);
  if (id === undefined) return undefined;
  const problem = descriptions.get(protocolNames.problem);
  const flow = descriptions.get(protocolNames.flow);
  return { id, file, ...(problem === undefined ? {} : { invalid: true, problem }), ...(flow === undefined ? {} : { flow }) };
}

/** Returns the parts of the package of a recipe that ran as its own test. */
export function readResultParts(identity: TestIdentity, result: TestResult): PackageParts {
  const journal = collectJournal(result, result.steps, '');
  const run = { id: identity.id, key: '' };
  return createPackageParts(run, result, {
    recipe: findRecipeDocument(identity, result),
    journal,
    hostFailure: describeTestFailure(result),
  });
}

/** Reads the file if the worker died before it sent the document. The file may have changed since. */
export function findRecipeDocument({ file, flow }: TestIdentity, result: Attachments): Uint8Array | undefined {
  return findSentRecipe(result) ?? (flow === undefined ? readBytesIfThere(file) : undefined);
}

/** Returns the Recipe v1 document that runs. The worker sends it before the first node runs. */
export function findSentRecipe(result: Attachments): Uint8Array | undefined {
  return findSentBytes(result, protocolNames.recipe)[0];
}

/** Returns the parts of the packages of the recipes that a native test ran. */
export function readNestedRuns(result: TestResult): PackageParts[] {
  const runs = new Map<string, NestedSteps>();
  for (const step of result.steps) collectNestedSteps(step, runs);
  return [...runs.values()].map(({ run, steps }) => {
    // A step that has not ended has a negative duration. A failure of the test after the end of a recipe does not concern that recipe.
    const hostFailure = steps.some(({ duration }) => duration < 0) ? describeTestFailure(result) : undefined;
    return createPackageParts(run, result, { journal: collectJournal(result, steps, run.key), hostFailure });
  });
}

/** Returns the names of the project's own actions that the worker sent. */
export function readOwnActions(result: TestResult): string[] {
  return findSentBytes(result, protocolNames.actions).flatMap((bytes) => JSON.parse(Buffer.from(bytes).toString()) as string[]);
}

type NestedSteps = { run: RunIdentity; steps: TestStep[] };

// A recipe that a timeout ended has two steps: one that ran it, and one that ended it.
function collectNestedSteps(step: TestStep, runs: Map<string, NestedSteps>): void {
  const runText = step.params?.[protocolNames.run] as unknown;
  if (typeof runText !== 'string') {
    for (const child of step.steps) collectNestedSteps(child, runs);
    return;
  }
  const run = JSON.parse(runText) as RunIdentity;
  const nested = runs.get(run.key) ?? { run, steps: [] };
  nested.steps.push(step);
  runs.set(run.key, nested);
}

/** Part of the TestResult of a reporter, and of the TestInfo of a worker. */
type Attachments = Pick<TestResult, 'attachments'>;

type SentParts = { journal: readonly string[]; recipe?: Uint8Array | undefined; hostFailure: string | undefined };

/** `recipe` replaces the recipe that the worker sent. */
export function createPackageParts({ id, key }: RunIdentity, result: Attachments, sentParts: SentParts): PackageParts {
  const { journal, hostFailure, recipe = findSentBytes(result, `${protocolNames.recipe}${key}`)[0] } = sentParts;
  return {
    id,
    // The worker sends null in place of a document that it withholds.
    recipe: recipe && ((JSON.parse(Buffer.from(recipe).toString()) as unknown) ?? undefined),
    journal,
    findArtifact: (path, digest) =>
      findSentBytes(result, path).find((bytes) => sha256(bytes) === digest) ?? findSentBytes(result, path)[0],
    documents: readSentDocuments(result, `${protocolNames.document}${key}:`),
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function readSentDocuments(result: Attachments, prefix: string): Map<string, Uint8Array> {
  const documents = result.attachments.filter(({ name }) => name.startsWith(prefix));
  return new Map(
    documents.map((attachment) => [attachment.name.slice(prefix.length), readAttachmentBytes(attachment) ?? Buffer.alloc(0)]),
  );
}

function collectJournal(result: TestResult, steps: readonly TestStep[], key: string): string[] {
  const end = `${protocolNames.end}${key}`;
  const attached = result.attachments
    .filter(({ name }) => name === end)
    .map((attachment) => readAttachmentBytes(attachment)?.toString() ?? '');
  const annotated = result.annotations.filter(({ type }) => type === end).map(({ description = '' }) => description);
  return [...steps.flatMap(collectStepLines), ...attached, ...annotated].sort((a, b) => readSeq(a) - readSeq(b));
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
  const why = readFirstLine((errors[0] ?? error)?.message ?? '');
  return `the test ${status === 'timedOut' ? 'timed out' : status}${why ? ` (${why})` : ''}`;
}

/** A running test has no `status`. */
type EndedTest = {
  status?: TestResult['status'];
  error?: { message?: string } | undefined;
  errors: readonly { message?: string }[];
};

type Attachment = TestResult['attachments'][number];

// Several attachments may have the same name, because the project may use the name too.
function findSentBytes(result: Attachments, name: string): Uint8Array[] {
  return result.attachments
    .filter((attachment) => attachment.name === name)
    .flatMap((attachment) => readAttachmentBytes(attachment) ?? []);
}

export function readAttachmentBytes({ body, path }: Attachment): Buffer | undefined {
  return body ?? (path === undefined ? undefined : readBytesIfThere(path));
}

/** Describes why a planned recipe has no package. Returns an empty object if the run ended before its test began. */
export function describeNotRun(test: TestCase): Pick<SuiteEntry, 'skipped' | 'detail'> {
  const problem = findIdentity(test)?.problem;
  if (problem !== undefined) return { detail: problem };
  const skip = test.expectedStatus === 'skipped' && test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  return skip ? { skipped: true, detail: `The test was skipped${skip.description ? `: ${skip.description}` : ''}.` } : {};
}

/** Reads the claims in the annotations of a test, whether or not the test ran. */
export function readDeclaredClaims(test: Pick<TestCase, 'annotations'>): DeclaredClaim[] {
  return test.annotations.flatMap(({ type, description = '' }) => {
    const [, id, claim] = (type === protocolNames.claim && /^(.*?): (.*)$/s.exec(description)) || [];
    return id === undefined || claim === undefined ? [] : [{ id, claim }];
  });
}
