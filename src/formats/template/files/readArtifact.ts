// A file that a recipe declares as its artifact: what it is, and its bytes when it lies in the project.
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve } from 'node:path';
import { readInside } from '../../../system/files/readInside.js';
import { resolveInside } from '../../../system/files/resolveInside.js';

export type ArtifactFile = {
  path: string;
  exists: boolean;
  size?: number;
  sha256?: string;
  /** Why it was not kept. */
  reason?: string;
  bytes?: Buffer;
};

const longest = 50_000_000;

export function readArtifact(path: string, { projectRoot }: { projectRoot: string }): ArtifactFile {
  const named = isAbsolute(path) ? relative(projectRoot, resolve(path)) : path;
  const file = resolveInside(projectRoot, named);
  if (file === undefined) return { path, exists: false, reason: 'it lies outside of the project' };
  const read = readInside(projectRoot, file, longest);
  if ('bytes' in read) {
    const { bytes } = read;
    return { path, exists: true, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
  }
  if ('outside' in read) return { path, exists: false, reason: 'it is a link that leads out of the project' };
  if ('missing' in read) return { path, exists: false, reason: 'there is no such file' };
  if ('size' in read) return { path, exists: true, size: read.size, reason: `it is longer than ${longest} bytes` };
  return { path, exists: false, reason: 'kind' in read ? `it is ${read.kind}` : `it cannot be read (${read.code})` };
}
