// A recipe's journal and evidence, taken out of what Vitest reports of its test: live, merged from blobs, or left behind by a dead worker.
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase } from 'vitest/node';
import { refusedFile } from '../../evidence/packageFiles.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { listFilesBelow, readBytesIfThere, readPathKind } from '../../system/files/files.js';
import type { Identity } from '../shared/declaredTests.js';
import { keptBytes, keptNames } from './keptDocuments.js';
import { attemptDir } from './runDir.js';
import { type Meta, type PackageArtifact, type Sent, wire } from './wire.js';

export function identityOf(test: TestCase): Identity | undefined {
  return (test.meta() as Meta).recipewright;
}

/** The files of one attempt, by their path in the package. */
export type Attempt = { attempt: number; read(path: string): Buffer | undefined; names: readonly string[] };

/** What came with a blob; else what lies where the worker wrote. `attachmentsDir`: where Vitest has its attachments now. */
export function attemptsOf(test: TestCase, attachmentsDir: string): Attempt[] {
  const sent = (test.artifacts() as readonly unknown[] as PackageArtifact[]).filter(({ type }) => type === wire.package);
  if (sent.length > 0) return sent.map((artifact) => fromArtifact(artifact, attachmentsDir));
  const attempts: Attempt[] = [];
  for (let next = fromDirectory(test.id, 0); next; next = fromDirectory(test.id, attempts.length)) attempts.push(next);
  return attempts;
}

function fromArtifact({ attempt, attachments }: PackageArtifact, attachmentsDir: string): Attempt {
  const sent = new Map(attachments.map((attachment) => [attachment.name, attachment]));
  return { attempt, names: [...sent.keys()], read: (name) => bytesOf(sent.get(name), attachmentsDir) };
}

function bytesOf(sent: Sent | undefined, attachmentsDir: string): Buffer | undefined {
  if (sent?.body !== undefined) return Buffer.from(sent.body, 'base64');
  const path = sent?.path;
  // Whoever merges may have moved them.
  return path === undefined ? undefined : (readBytesIfThere(path) ?? readBytesIfThere(join(attachmentsDir, basename(path))));
}

function fromDirectory(testId: string, attempt: number): Attempt | undefined {
  const dir = attemptDir(testId, attempt);
  if (readPathKind(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  const written = listFilesBelow(dir).map((name) => name.replaceAll('\\', '/'));
  const names = new Set([...written.filter((name) => !name.startsWith('.')), ...keptNames(dir)]);
  return { attempt, names: [...names], read: (name) => readBytesIfThere(join(dir, name)) ?? keptBytes(dir, name) };
}

export function partsOf({ id }: Identity, { read, names }: Attempt, hostFailure: string | undefined): PackageParts {
  const recipe = read('recipe.json');
  const journal = linesIn(read('journal.jsonl'));
  const sources = names.filter((name) => /^source\.[\w.]+$/.test(name));
  // In the order in which the other hosts name them. What a run captured is in its journal, unless it did not begin.
  const documents = ['workflow.json', ...sources, ...(journal.length === 0 ? [refusedFile] : [])].filter((name) =>
    names.includes(name),
  );
  return {
    id,
    recipe: recipe && (JSON.parse(recipe.toString()) as unknown),
    journal,
    artifact: read,
    documents: new Map(documents.map((name) => [name, read(name) ?? Buffer.alloc(0)])),
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function linesIn(journal: Buffer | undefined): string[] {
  const lines = (journal?.toString() ?? '').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** In words, what Vitest itself says went wrong. */
export function failureOf(test: TestCase): string | undefined {
  const { state, errors = [] } = test.result();
  if (state === 'passed') return undefined;
  const [first = ''] = stripVTControlCharacters(errors[0]?.message ?? '').split('\n');
  return `the test ${state}${first ? ` (${first})` : ''}`;
}

type Stray = { message: string; VITEST_TEST_PATH?: unknown; VITEST_TEST_NAME?: unknown };

/** The errors that nobody caught, and that Vitest saw while this test ran. */
export function strayIn(test: TestCase, unhandled: readonly { message: string }[]): Stray[] {
  const here = (unhandled as readonly Stray[]).filter(({ VITEST_TEST_PATH: path }) => path === test.module.moduleId);
  return here.filter(({ VITEST_TEST_NAME: name }) => typeof name !== 'string' || name === test.fullName || name === test.name);
}
