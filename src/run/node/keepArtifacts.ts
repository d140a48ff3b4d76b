// What an action captured goes to the host under a path of its own, without secrets.
import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { isUint8Array } from 'node:util/types';
import { withoutAttempt } from '../../engine/runPath.js';
import type { Artifact, Capture } from '../../evidence/journal.js';
import { isArtifactPath } from '../../evidence/packageFiles.js';
import { RecipeError } from '../../evidence/recipeError.js';
import type { Vault } from '../../secrets/vault.js';
import { sha256 } from '../../system/files/files.js';
import type { HostStep } from '../host.js';
import type { Scheduler } from './nodeExecution.js';

export type NodeCaptures = { path: string; captures: readonly (Capture & { nodeId?: string })[] };

export async function keepArtifacts(
  scheduler: Pick<Scheduler, 'job' | 'run'>,
  step: Pick<HostStep, 'attach'>,
  { path, captures }: NodeCaptures,
): Promise<Artifact[]> {
  const kept: Artifact[] = [];
  for (const [index, capture] of captures.entries()) {
    refuseInvalidCapture(capture, index);
    if (!isArtifactPath(posix.normalize(capture.path))) {
      const message = `An artifact cannot be kept as ${JSON.stringify(capture.path)}: the path leaves the package or is one of its own files.`;
      throw new RecipeError('evidence.bad_path', 'harness', message);
    }
    const {
      body: bytes,
      nodeId = path,
      ...described
    } = { ...capture, path: uniquePath(scheduler, posix.normalize(capture.path)) };
    const body = withoutSecrets(bytes, scheduler.job.secrets.vault);
    await step.attach({ ...described, body }).catch(throwNotKept);
    kept.push({ ...described, nodeId: withoutAttempt(nodeId), sha256: sha256(body), size: body.length });
  }
  return kept;
}

// A project's own action is not checked by a compiler, and what it forgot is not the fault of the disk.
function refuseInvalidCapture(capture: unknown, index: number): void {
  const { path, type, body } = (typeof capture === 'object' && capture !== null ? capture : {}) as Partial<Capture>;
  const wrong = [
    ...(typeof path === 'string' && path !== '' ? [] : ['"path", a text that names its place in the package']),
    ...(typeof type === 'string' && type !== '' ? [] : ['"type", such as "log" or "screenshot"']),
    ...(isUint8Array(body) ? [] : ['"body", its bytes (a Buffer or a Uint8Array)']),
  ];
  if (wrong.length === 0) return;
  const named = typeof path === 'string' && path !== '' ? ` (${JSON.stringify(path)})` : '';
  const message = `artifacts[${index}]${named}, which the action gave, lacks ${wrong.join(', and ')}.`;
  throw new RecipeError('evidence.bad_artifact', 'harness', message);
}

// A picture stays as it is: what is in there as bytes is found by the scan at the end.
function withoutSecrets(body: Uint8Array, vault: Vault): Uint8Array {
  if (vault.names.length === 0 || !isUtf8(body)) return body;
  const redactor = vault.redactor();
  const masked = redactor.write(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  return Buffer.concat([masked, redactor.end()]);
}

function throwNotKept(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  throw new RecipeError('evidence.not_kept', 'environment', `The evidence could not be kept: ${message}`, undefined, {
    cause: thrown,
  });
}

// A node that is visited again must not replace what it showed before.
function uniquePath({ run: { artifactPaths } }: Pick<Scheduler, 'run'>, path: string): string {
  let free = path;
  for (let count = 2; artifactPaths.has(free); count++) free = path.replace(/(\.[^./]*)?$/, `-${count}$1`);
  artifactPaths.add(free);
  return free;
}
