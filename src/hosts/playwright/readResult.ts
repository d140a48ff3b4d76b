// A recipe's journal and evidence, taken out of what Playwright reports of its test: live, or merged from blobs.
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import type { PackageParts } from '../../evidence/package.js';
import { readBytesIfThere, sha256 } from '../../system/files.js';
import { type Identity, wire } from './wire.js';

export function identityOf(test: TestCase): Identity | undefined {
  const description = test.annotations.find((annotation) => annotation.type === wire.identity)?.description;
  return description === undefined ? undefined : (JSON.parse(description) as Identity);
}

export function readResult({ id, file }: Identity, result: TestResult): PackageParts {
  const recipe = sentAs(result, wire.recipe)[0] ?? readBytesIfThere(file);
  const hostFailure = failureOf(result);
  return {
    id,
    recipe: recipe && (JSON.parse(Buffer.from(recipe).toString()) as unknown),
    journal: journalOf(result),
    artifact: (path, digest) => sentAs(result, path).find((bytes) => sha256(bytes) === digest) ?? sentAs(result, path)[0],
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function journalOf(result: TestResult): string[] {
  const long = result.attachments.filter(({ name }) => name === wire.end).map((sent) => bytesOf(sent)?.toString() ?? '');
  const last = result.annotations.filter(({ type }) => type === wire.end).map(({ description = '' }) => description);
  return [...result.steps.flatMap(linesOf), ...long, ...last].sort((a, b) => seqOf(a) - seqOf(b));
}

function linesOf(step: TestStep): string[] {
  const begin = step.params?.[wire.begin] as unknown;
  const ends = step.annotations.filter(({ type }) => type === wire.end).map(({ description = '' }) => description);
  return [...(typeof begin === 'string' ? [begin] : []), ...ends, ...step.steps.flatMap(linesOf)];
}

function seqOf(line: string): number {
  return Number(/^\{"v":1,"seq":(\d+),/.exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

function failureOf({ status, error, errors }: TestResult): string | undefined {
  if (status === 'passed') return undefined;
  const message = (errors[0] ?? error)?.message ?? '';
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  return `the test ${status === 'timedOut' ? 'timed out' : status}${first ? ` (${first})` : ''}`;
}

type Attachment = TestResult['attachments'][number];

// The project may attach something under the same name.
function sentAs(result: TestResult, name: string): Uint8Array[] {
  return result.attachments.filter((sent) => sent.name === name).flatMap((sent) => bytesOf(sent) ?? []);
}

function bytesOf({ body, path }: Attachment): Buffer | undefined {
  return body ?? (path === undefined ? undefined : readBytesIfThere(path));
}
