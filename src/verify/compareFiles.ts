// Compares the files of a package with its manifest: every listed file must exist with its size and digest, and no other file may.

import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { fileFinding } from '../evidence/readPackageDocuments.js';
import { digestFile } from '../system/files/fileDigest.js';
import { listTree, type TreeEntry } from '../system/files/listTree.js';
import { type ListedFile, readManifestFiles } from './readPackageParts.js';

/** The marker file of recipewright is not evidence, and the manifest cannot contain its own digest. */
const neverListed = new Set(['.recipewright', 'artifact-manifest.json']);

export function compareFiles(dir: string): Finding[] {
  const listed = readManifestFiles(dir);
  if (!listed) return [];
  const paths = new Set(listed.map(({ path }) => path));
  const folders = new Set(listed.flatMap(({ path }) => listFolders(path)));
  const isKnown = ({ path, kind }: TreeEntry): boolean =>
    kind === 'directory' ? folders.has(path) : paths.has(path) || neverListed.has(path);
  const tree = listTree(dir);
  const links = tree.filter(({ kind }) => kind === 'link').map(({ path }) => linkFinding(dir, path));
  const unlisted = tree
    .filter((entry) => entry.kind !== 'link' && !isKnown(entry))
    .map(({ path }) => notListedFinding(dir, path));
  return [...links, ...unlisted, ...listed.flatMap((entry, index) => compareListed(dir, entry, index))];
}

function listFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

// `checkPackage` reports missing files.
function compareListed(dir: string, { path, sha256, size }: ListedFile, index: number): Finding[] {
  const actual = digestFile(join(dir, path));
  if (!actual) return [];
  if (sha256 === undefined || size === undefined) return [noDigestFinding(dir, path, index)];
  if (actual.sha256 === sha256 && actual.size === size) return [];
  const [found, expected] = [describeDigest(actual.size, actual.sha256), describeDigest(size, sha256)];
  const message = `${JSON.stringify(path)} is not the file that the manifest lists: expected ${expected}, found ${found}.`;
  return [fileFinding(join(dir, path), 'package.digest_mismatch', { message, hint: restoreHint })];
}

function describeDigest(size: number, sha256: string): string {
  return `${size} bytes with SHA-256 ${sha256.slice(0, 12)}…`;
}

const restoreHint = 'The package was changed after the run. Copy the package from the run again, or run the recipe again.';

function noDigestFinding(dir: string, path: string, index: number): Finding {
  const message = `Entry ${index} of the manifest, ${JSON.stringify(path)}, has no "sha256" and "size", so the file cannot be checked.`;
  return fileFinding(join(dir, 'artifact-manifest.json'), 'package.no_digest', { message, hint: restoreHint });
}

function linkFinding(dir: string, path: string): Finding {
  const message = `${JSON.stringify(path)} is a link, so its content can change while the package stays the same.`;
  const hint = 'Replace the link with the file that the run wrote.';
  return fileFinding(join(dir, path), 'package.link', { message, hint });
}

function notListedFinding(dir: string, path: string): Finding {
  const message = `${JSON.stringify(path)} is in the package, but the manifest does not list it.`;
  const hint = 'The file was added after the run. Remove it, or move it elsewhere.';
  return fileFinding(join(dir, path), 'package.unlisted_file', { message, hint });
}
