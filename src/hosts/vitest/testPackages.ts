// A recipe's journal and evidence, taken out of what Vitest reports of its test: live, merged from blobs, or left behind by a dead worker.
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase } from 'vitest/node';
import { refusedFile } from '../../evidence/packageFiles.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { listFilesBelow, readBytesIfThere, readPathKind, sha256, writeShortLivedFile } from '../../system/files/files.js';
import type { Identity } from '../shared/declaredTests.js';
import { type PackageArtifact, protocolTypes, type SentFile, type TestMeta } from './reporterProtocol.js';
import { attemptDir, documentNames, readDocumentBytes } from './runDir.js';

export function identityOf(test: TestCase): Identity | undefined {
  return (test.meta() as TestMeta).recipewright;
}

/** The files of one attempt, by their path in the package. */
export type Attempt = { attempt: number; read(path: string): Buffer | undefined; names: readonly string[] };

/** What came with a blob; else what lies where the worker wrote. `attachmentsDir`: where Vitest has its attachments now. */
export function readAttempts(test: TestCase, attachmentsDir: string): Attempt[] {
  const artifacts = (test.artifacts() as readonly unknown[] as PackageArtifact[]).filter(
    ({ type }) => type === protocolTypes.package,
  );
  if (artifacts.length > 0) return artifacts.map((artifact) => attemptFromArtifact(artifact, attachmentsDir));
  const attempts: Attempt[] = [];
  for (let next = attemptFromDirectory(test.id, 0); next; next = attemptFromDirectory(test.id, attempts.length))
    attempts.push(next);
  return attempts;
}

function attemptFromArtifact({ attempt, attachments }: PackageArtifact, attachmentsDir: string): Attempt {
  const files = new Map(attachments.map((attachment) => [attachment.name, attachment]));
  return { attempt, names: [...files.keys()], read: (name) => readSentFile(files.get(name), attachmentsDir) };
}

function readSentFile(file: SentFile | undefined, attachmentsDir: string): Buffer | undefined {
  if (file?.body !== undefined) return Buffer.from(file.body, 'base64');
  const path = file?.path;
  // Whoever merges may have moved them.
  return path === undefined ? undefined : (readBytesIfThere(path) ?? readBytesIfThere(join(attachmentsDir, basename(path))));
}

function attemptFromDirectory(testId: string, attempt: number): Attempt | undefined {
  const dir = attemptDir(testId, attempt);
  if (readPathKind(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  const written = listFilesBelow(dir).map((name) => name.replaceAll('\\', '/'));
  const names = new Set([...written.filter((name) => !name.startsWith('.')), ...documentNames(dir)]);
  return { attempt, names: [...names], read: (name) => readBytesIfThere(join(dir, name)) ?? readDocumentBytes(dir, name) };
}

export function packagePartsOf({ id }: Identity, { read, names }: Attempt, hostFailure: string | undefined): PackageParts {
  const recipe = read('recipe.json');
  const journal = journalLines(read('journal.jsonl'));
  const sources = names.filter((name) => /^source\.[\w.]+$/.test(name));
  // In the order in which the other hosts name them. What a run captured is in its journal, unless it did not begin.
  const documents = ['workflow.json', ...sources, ...(journal.length === 0 ? [refusedFile] : [])].filter((name) =>
    names.includes(name),
  );
  return {
    id,
    recipe: recipe && (JSON.parse(recipe.toString()) as unknown),
    journal,
    findArtifact: read,
    documents: new Map(documents.map((name) => [name, read(name) ?? Buffer.alloc(0)])),
    ...(hostFailure === undefined ? {} : { hostFailure }),
  };
}

function journalLines(journal: Buffer | undefined): string[] {
  const lines = (journal?.toString() ?? '').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** In words, what Vitest itself says went wrong. */
export function describeFailure(test: TestCase): string | undefined {
  const { state, errors = [] } = test.result();
  if (state === 'passed') return undefined;
  const [first = ''] = stripVTControlCharacters(errors[0]?.message ?? '').split('\n');
  return `the test ${state}${first ? ` (${first})` : ''}`;
}

type StrayError = { message: string; VITEST_TEST_PATH?: unknown; VITEST_TEST_NAME?: unknown };

/** The errors that nobody caught, and that Vitest saw while this test ran. */
export function strayErrorsIn(test: TestCase, unhandled: readonly { message: string }[]): StrayError[] {
  const inModule = (unhandled as readonly StrayError[]).filter(({ VITEST_TEST_PATH: path }) => path === test.module.moduleId);
  return inModule.filter(
    ({ VITEST_TEST_NAME: name }) => typeof name !== 'string' || name === test.fullName || name === test.name,
  );
}

// Puts the packages of a test into the blob that the run writes, so that whoever merges it has them, wherever that is.

/** What is longer lies beside the blob, where Vitest has its attachments. */
const maxInlineBytes = 1_000_000;

type TaskWithArtifacts = { artifacts: unknown[] };

export function sendPackages(test: TestCase, attachmentsDir: string): void {
  const { artifacts } = (test as unknown as { task: TaskWithArtifacts }).task;
  for (const { attempt, names, read } of readAttempts(test, attachmentsDir)) {
    const attachments = names.map((name) => toSentFile(name, read(name) ?? Buffer.alloc(0), attachmentsDir));
    const artifact: PackageArtifact = { type: protocolTypes.package, attempt, attachments };
    artifacts.push(artifact);
  }
}

function toSentFile(name: string, bytes: Buffer, attachmentsDir: string): SentFile {
  if (bytes.length <= maxInlineBytes) return { name, body: bytes.toString('base64'), bodyEncoding: 'base64' };
  const path = join(attachmentsDir, sha256(bytes));
  writeShortLivedFile(path, bytes);
  return { name, path };
}
