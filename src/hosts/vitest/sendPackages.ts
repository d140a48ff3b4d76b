// Puts the packages of a test into the blob that the run writes, so that whoever merges it has them, wherever that is.
import { join } from 'node:path';
import type { TestCase } from 'vitest/node';
import { sha256, writeShortLivedFile } from '../../system/files/files.js';
import { attemptsOf } from './readTest.js';
import { type PackageArtifact, type Sent, wire } from './wire.js';

/** What is longer lies beside the blob, where Vitest has its attachments. */
const inlineBytes = 1_000_000;

type Task = { artifacts: unknown[] };

export function sendPackages(test: TestCase, attachmentsDir: string): void {
  const { artifacts } = (test as unknown as { task: Task }).task;
  for (const { attempt, names, read } of attemptsOf(test, attachmentsDir)) {
    const attachments = names.map((name) => sent(name, read(name) ?? Buffer.alloc(0), attachmentsDir));
    const artifact: PackageArtifact = { type: wire.package, attempt, attachments };
    artifacts.push(artifact);
  }
}

function sent(name: string, bytes: Buffer, attachmentsDir: string): Sent {
  if (bytes.length <= inlineBytes) return { name, body: bytes.toString('base64'), bodyEncoding: 'base64' };
  const path = join(attachmentsDir, sha256(bytes));
  writeShortLivedFile(path, bytes);
  return { name, path };
}
