// A recipe's journal and evidence, taken out of what Vitest reports of its test: live, merged from blobs, or left behind by a dead worker.
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestCase } from 'vitest/node';
import type { PackageParts } from '../../evidence/package.js';
import { filesBelow, kindOf, readBytesIfThere } from '../../system/files.js';
import { attemptDir } from './runDir.js';
import { type Identity, type Meta, type PackageArtifact, wire } from './wire.js';

export function identityOf(test: TestCase): Identity | undefined {
  return (test.meta() as Meta).recipewright;
}

/** The files of one attempt, by their path in the package. */
export type Attempt = { attempt: number; read(path: string): Buffer | undefined; names: readonly string[] };

/** What the test sent; else what lies where its worker wrote. */
export function attemptsOf(test: TestCase): Attempt[] {
  const sent = (test.artifacts() as readonly unknown[] as PackageArtifact[]).filter(({ type }) => type === wire.package);
  const attempts = sent.map(fromArtifact);
  const next = attempts.length === 0 ? 0 : Math.max(...attempts.map(({ attempt }) => attempt)) + 1;
  const left = fromDirectory(attemptDir(test.id, next), next);
  return left ? [...attempts, left] : attempts;
}

function fromArtifact({ attempt, attachments }: PackageArtifact): Attempt {
  const paths = new Map(attachments.map(({ name, path = '' }) => [name, path]));
  return { attempt, names: [...paths.keys()], read: (name) => readBytesIfThere(paths.get(name) ?? '') };
}

function fromDirectory(dir: string, attempt: number): Attempt | undefined {
  if (kindOf(join(dir, 'journal.jsonl')) !== 'file') return undefined;
  const names = filesBelow(dir).map((name) => name.replaceAll('\\', '/'));
  return { attempt, names, read: (name) => readBytesIfThere(join(dir, name)) };
}

export function partsOf({ id, file }: Identity, { read, names }: Attempt, hostFailure: string | undefined): PackageParts {
  const recipe = read('recipe.json') ?? readBytesIfThere(file);
  const documents = names.filter((name) => name === 'workflow.json' || /^source\.[\w.]+$/.test(name));
  return {
    id,
    recipe: recipe && (JSON.parse(recipe.toString()) as unknown),
    journal: linesIn(read('journal.jsonl')),
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
export function failureOf(test: TestCase, unhandled: readonly { message: string }[]): string | undefined {
  const { state, errors = [] } = test.result();
  if (state === 'passed') return undefined;
  const message = errors[0]?.message ?? (state === 'pending' ? unhandled[0]?.message : undefined) ?? '';
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  return `the test ${state === 'pending' ? 'never ended' : state}${first ? ` (${first})` : ''}`;
}
