// Reads the journal and the evidence of a test from the cache, where its worker wrote them, or from a blob. Also writes them to a blob.
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase } from 'vitest/node';
import { refusedFile } from '../../evidence/packageFiles.js';
import type { PackageParts } from '../../evidence/writePackage.js';
import { listFilesBelow, readBytesIfThere, readPathKind, sha256, writeShortLivedFile } from '../../system/files/files.js';
import type { DeclaredIdentity } from '../shared/declaredTests.js';
import { addArtifact } from './internals/testTask.js';
import { type PackageArtifact, protocolTypes, type SentFile, type TestMeta } from './reporterProtocol.js';
import { attemptDir, documentNames, readDocumentBytes } from './runDir.js';

export function identityOf(test: TestCase): DeclaredIdentity | undefined {
  return (test.meta() as TestMeta).recipewright;
}

/** `names`: the paths of the files in the package. `read`: reads one of these files. */
export type Attempt = { attempt: number; read(path: string): Buffer | undefined; names: readonly string[] };

/** `attachmentsDir`: the folder of Vitest's attachments in this run, which may merge blobs of another machine. */
export function readAttempts(test: TestCase, attachmentsDir: string): Attempt[] {
  const artifacts = (test.artifacts() as readonly unknown[] as PackageArtifact[]).filter(
    ({ type }) => type === protocolTypes.package,
  );
  if (artifacts.length > 0) return artifacts.map((artifact) => readAttemptFromArtifact(artifact, attachmentsDir));
  const attempts: Attempt[] = [];
  for (let next = readAttemptFromDirectory(test.id, 0); next; next = readAttemptFromDirectory(test.id, attempts.length))
    attempts.push(next);
  return attempts;
}

function readAttemptFromArtifact({ attempt, attachments }: PackageArtifact, attachmentsDir: string): Attempt {
  const files = new Map(attachments.map((attachment) => [attachment.name, attachment]));
  return { attempt, names: [...files.keys()], read: (name) => readSentFile(files.get(name), attachmentsDir) };
}

function readSentFile(file: SentFile | undefined, attachmentsDir: string): Buffer | undefined {
  if (file?.body !== undefined) return Buffer.from(file.body, 'base64');
  const path = file?.path;
  // The attachments may have been moved together with the blob.
  return path === undefined ? undefined : (readBytesIfThere(path) ?? readBytesIfThere(join(attachmentsDir, basename(path))));
}

function readAttemptFromDirectory(testId: string, attempt: number): Attempt | undefined {
  const dir = attemptDir(testId, attempt);
  if (readPathKind(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  const evidenceFiles = listFilesBelow(dir).map((name) => name.replaceAll('\\', '/'));
  const names = new Set([...evidenceFiles.filter((name) => !name.startsWith('.')), ...documentNames(dir)]);
  return { attempt, names: [...names], read: (name) => readBytesIfThere(join(dir, name)) ?? readDocumentBytes(dir, name) };
}

export function packagePartsOf(
  { id }: DeclaredIdentity,
  { read, names }: Attempt,
  hostFailure: string | undefined,
): PackageParts {
  const recipe = read('recipe.json');
  const journal = splitJournal(read('journal.jsonl'));
  const sources = names.filter((name) => /^source\.[\w.]+$/.test(name));
  // The order is that of the other hosts. The journal names the captured files, but is empty when the run did not begin.
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

function splitJournal(journal: Buffer | undefined): string[] {
  const lines = (journal?.toString() ?? '').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Describes the result and the first error that Vitest reports for the test. */
export function describeFailure(test: TestCase): string | undefined {
  const { state, errors = [] } = test.result();
  if (state === 'passed') return undefined;
  const message = firstLine(errors[0]?.message);
  return `the test ${state}${message ? ` (${message})` : ''}`;
}

/** Returns the first line of an error message, without colors. */
export function firstLine(message = ''): string {
  return stripVTControlCharacters(message).split('\n', 1)[0] ?? '';
}

/** Larger files become attachments of Vitest, beside the blob. */
const maxInlineBytes = 1_000_000;

/** Adds the packages of a test to the blob of the run. The run that merges the blob writes them. */
export function sendPackages(test: TestCase, attachmentsDir: string): void {
  for (const { attempt, names, read } of readAttempts(test, attachmentsDir)) {
    const attachments = names.map((name) => toSentFile(name, read(name) ?? Buffer.alloc(0), attachmentsDir));
    const artifact: PackageArtifact = { type: protocolTypes.package, attempt, attachments };
    addArtifact(test, artifact);
  }
}

function toSentFile(name: string, bytes: Buffer, attachmentsDir: string): SentFile {
  if (bytes.length <= maxInlineBytes) return { name, body: bytes.toString('base64'), bodyEncoding: 'base64' };
  const path = join(attachmentsDir, sha256(bytes));
  writeShortLivedFile(path, bytes);
  return { name, path };
}
