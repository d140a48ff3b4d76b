// Hands the captures of a node to the host: each with a unique path, and with the secrets masked.
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
  const artifacts: Artifact[] = [];
  for (const [index, capture] of captures.entries()) {
    refuseInvalidCapture(capture, index);
    if (!isArtifactPath(posix.normalize(capture.path))) {
      const message = `An artifact cannot be saved as ${JSON.stringify(capture.path)}: the path leaves the package or is the path of one of its documents.`;
      throw new RecipeError('evidence.bad_path', 'harness', message);
    }
    const {
      body: bytes,
      nodeId = path,
      ...described
    } = { ...capture, path: uniquePath(scheduler, posix.normalize(capture.path)) };
    const body = withoutSecrets(bytes, scheduler.job.secrets.vault);
    await step.attach({ ...described, body }).catch(throwNotSaved);
    artifacts.push({ ...described, nodeId: withoutAttempt(nodeId), sha256: sha256(body), size: body.length });
  }
  return artifacts;
}

// The setup module may be JavaScript, so no compiler has checked the captures of its actions. Without this check, an invalid capture
// would be reported as a disk failure.
function refuseInvalidCapture(capture: unknown, index: number): void {
  const { path, type, body } = (typeof capture === 'object' && capture !== null ? capture : {}) as Partial<Capture>;
  const missing = [
    ...(typeof path === 'string' && path !== '' ? [] : ['"path", the path in the package']),
    ...(typeof type === 'string' && type !== '' ? [] : ['"type", such as "log" or "screenshot"']),
    ...(isUint8Array(body) ? [] : ['"body", a Buffer or Uint8Array']),
  ];
  if (missing.length === 0) return;
  const label = typeof path === 'string' && path !== '' ? ` (${JSON.stringify(path)})` : '';
  const message = `The result of the action is invalid: artifacts[${index}]${label} lacks ${missing.join(', and ')}.`;
  throw new RecipeError('evidence.bad_artifact', 'harness', message);
}

// Only text is masked. The scan of the finished package finds secrets in images and other binary files.
function withoutSecrets(body: Uint8Array, vault: Vault): Uint8Array {
  if (vault.names.length === 0 || !isUtf8(body)) return body;
  const masker = vault.openStreamMasker();
  const masked = masker.write(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  return Buffer.concat([masked, masker.end()]);
}

function throwNotSaved(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  throw new RecipeError('evidence.not_kept', 'environment', `The evidence could not be saved: ${message}`, undefined, {
    cause: thrown,
  });
}

// A second visit of a node must not replace the artifacts of its first visit.
function uniquePath({ run: { artifactPaths } }: Pick<Scheduler, 'run'>, path: string): string {
  let unique = path;
  for (let count = 2; artifactPaths.has(unique); count++) unique = path.replace(/(\.[^./]*)?$/, `-${count}$1`);
  artifactPaths.add(unique);
  return unique;
}
