// A recipe's journal and evidence, taken out of what Playwright reports of its test: live, or merged from blobs.
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { PackageParts } from '../../evidence/writePackage.js';
import { readBytesIfThere, sha256 } from '../../system/files/files.js';
import { type Identity, type RunIdentity, wire } from './wire.js';

export function identityOf(test: TestCase): Identity | undefined {
  return identityIn(test.annotations, test.location.file);
}

/** `file`: where the test stands, which is the document. */
export function identityIn(annotations: TestCase['annotations'], file: string): Identity | undefined {
  const said = new Map(annotations.map(({ type, description = '' }) => [type, description]));
  const id = said.get(wire.identity);
  if (id === undefined) return undefined;
  const problem = said.get(wire.problem);
  const flow = said.get(wire.flow);
  return { id, file, ...(problem === undefined ? {} : { invalid: true, problem }), ...(flow === undefined ? {} : { flow }) };
}

/** A recipe that is a test of its own. */
export function readResult(identity: Identity, result: TestResult): PackageParts {
  const journal = journalOf(result, result.steps, '');
  const run = { id: identity.id, key: '' };
  return partsFrom(run, result, { recipe: recipeIn(identity, result), journal, hostFailure: failureOf(result) });
}

/** Of a test that died at once, the document may still lie where it was. */
export function recipeIn({ file, flow }: Identity, result: Attachments): Uint8Array | undefined {
  return recipeSent(result) ?? (flow === undefined ? readBytesIfThere(file) : undefined);
}

/** The Recipe v1 document that runs, which is sent before its first node does. */
export function recipeSent(result: Attachments): Uint8Array | undefined {
  return sentAs(result, wire.recipe)[0];
}

/** The recipes that a native test ran inside of it. */
export function readNested(result: TestResult): PackageParts[] {
  const runs = new Map<string, Nested>();
  for (const step of result.steps) collect(step, runs);
  return [...runs.values()].map(({ run, steps }) => {
    // What the test does after it is no concern of the recipe.
    const hostFailure = steps.some(({ duration }) => duration < 0) ? failureOf(result) : undefined;
    return partsFrom(run, result, { journal: journalOf(result, steps, run.key), hostFailure });
  });
}

/** The project's own actions, as far as the test told of them. */
export function ownActionsOf(result: TestResult): string[] {
  return sentAs(result, wire.actions).flatMap((bytes) => JSON.parse(Buffer.from(bytes).toString()) as string[]);
}

type Nested = { run: RunIdentity; steps: TestStep[] };

// One that a timeout ended has two: where it ran, and where it was ended.
function collect(step: TestStep, runs: Map<string, Nested>): void {
  const named = step.params?.[wire.run] as unknown;
  if (typeof named !== 'string') {
    for (const child of step.steps) collect(child, runs);
    return;
  }
  const run = JSON.parse(named) as RunIdentity;
  const known = runs.get(run.key) ?? { run, steps: [] };
  known.steps.push(step);
  runs.set(run.key, known);
}

/** What a reporter is given at the end of a test, and a worker has in its TestInfo. */
export type Attachments = Pick<TestResult, 'attachments'>;

type Sent = { journal: readonly string[]; recipe?: Uint8Array | undefined; hostFailure: string | undefined };

/** `recipe`: in place of the one that was sent. */
export function partsFrom({ id, key }: RunIdentity, result: Attachments, sent: Sent): PackageParts {
  const { journal, hostFailure, recipe = sentAs(result, `${wire.recipe}${key}`)[0] } = sent;
  return {
    id,
    // What was withheld is null.
    recipe: recipe && ((JSON.parse(Buffer.from(recipe).toString()) as unknown) ?? undefined),
    journal,
    findArtifact: (path, digest) => sentAs(result, path).find((bytes) => sha256(bytes) === digest) ?? sentAs(result, path)[0],
    documents: documentsIn(result, `${wire.document}${key}:`),
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function documentsIn(result: Attachments, prefix: string): Map<string, Uint8Array> {
  const sent = result.attachments.filter(({ name }) => name.startsWith(prefix));
  return new Map(sent.map((one) => [one.name.slice(prefix.length), bytesOf(one) ?? Buffer.alloc(0)]));
}

function journalOf(result: TestResult, steps: readonly TestStep[], key: string): string[] {
  const end = `${wire.end}${key}`;
  const long = result.attachments.filter(({ name }) => name === end).map((sent) => bytesOf(sent)?.toString() ?? '');
  const last = result.annotations.filter(({ type }) => type === end).map(({ description = '' }) => description);
  return [...steps.flatMap(linesOf), ...long, ...last].sort((a, b) => seqOf(a) - seqOf(b));
}

function linesOf(step: TestStep): string[] {
  const begin = step.params?.[wire.begin] as unknown;
  const ends = step.annotations.filter(({ type }) => type === wire.end).map(({ description = '' }) => description);
  return [...(typeof begin === 'string' ? [begin] : []), ...ends, ...step.steps.flatMap(linesOf)];
}

function seqOf(line: string): number {
  return Number(/^\{"v":1,"seq":(\d+),/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

export function failureOf({ status, error, errors }: Ended): string | undefined {
  if (status === undefined || status === 'passed') return undefined;
  const message = (errors[0] ?? error)?.message ?? '';
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  return `the test ${status === 'timedOut' ? 'timed out' : status}${first ? ` (${first})` : ''}`;
}

/** `status` is missing while the test runs. */
type Ended = { status?: TestResult['status']; error?: { message?: string } | undefined; errors: readonly { message?: string }[] };

type Attachment = TestResult['attachments'][number];

// The project may attach something under the same name.
function sentAs(result: Attachments, name: string): Uint8Array[] {
  return result.attachments.filter((sent) => sent.name === name).flatMap((sent) => bytesOf(sent) ?? []);
}

export function bytesOf({ body, path }: Attachment): Buffer | undefined {
  return body ?? (path === undefined ? undefined : readBytesIfThere(path));
}
