// Fills in the paths of a recipe's artifacts and reads the files.

import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve } from 'node:path';
import { readInside } from '../../system/files/readInside.js';
import { resolveInside } from '../../system/files/resolveInside.js';
import { substitute } from './placeholders.js';
import { createValues, type Layers } from './templateValues.js';

export type ArtifactPath = { name: string; path: string };

export function resolveArtifacts(artifacts: Readonly<Record<string, string>>, layers: Layers): ArtifactPath[] {
  const values = createValues(layers);
  return Object.entries(artifacts).map(([name, path]) => {
    return { name, path: substitute(path, { values, label: `recipe artifacts.${name}`, objectsAsJson: true }) };
  });
}

/** A file that a recipe declares as its artifact. `bytes` is set only for a file in the project. */
export type ArtifactFile = {
  path: string;
  exists: boolean;
  size?: number;
  sha256?: string;
  /** Why the package has no copy. */
  reason?: string;
  bytes?: Buffer;
};

const maxArtifactBytes = 50_000_000;

export function readArtifact(path: string, { projectRoot }: { projectRoot: string }): ArtifactFile {
  const relativePath = isAbsolute(path) ? relative(projectRoot, resolve(path)) : path;
  const file = resolveInside(projectRoot, relativePath);
  if (file === undefined) return { path, exists: false, reason: 'the path is outside the project' };
  const read = readInside(projectRoot, file, maxArtifactBytes);
  if ('bytes' in read) {
    const { bytes } = read;
    return { path, exists: true, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
  }
  if ('outside' in read) return { path, exists: false, reason: 'the path is a link that leads out of the project' };
  if ('missing' in read) return { path, exists: false, reason: 'there is no such file' };
  if ('size' in read) return { path, exists: true, size: read.size, reason: `the file is larger than ${maxArtifactBytes} bytes` };
  return { path, exists: false, reason: 'kind' in read ? `the path is ${read.kind}` : `the file cannot be read (${read.code})` };
}
