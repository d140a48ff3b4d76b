// What lies in the directory against what the manifest lists: every file, its size, its digest, and nothing besides.
import { join } from 'node:path';
import type { Finding } from '../document/finding.js';
import { digestFile } from '../system/files/fileDigest.js';
import { listTree, type TreeEntry } from '../system/files/listTree.js';
import { type ListedFile, readManifestFiles } from './readPackageParts.js';

/** Our mark of ownership says nothing about the run, and the manifest cannot list itself. */
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
  const more = tree.filter((entry) => entry.kind !== 'link' && !isKnown(entry)).map(({ path }) => notListedFinding(dir, path));
  return [...links, ...more, ...listed.flatMap((entry, index) => compareListed(dir, entry, index))];
}

function listFolders(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

// A file that is not there is reported by the check of the manifest.
function compareListed(dir: string, { path, sha256, size }: ListedFile, index: number): Finding[] {
  const found = digestFile(join(dir, path));
  if (!found) return [];
  if (sha256 === undefined || size === undefined) return [noDigestFinding(dir, path, index)];
  if (found.sha256 === sha256 && found.size === size) return [];
  const what = found.size === size ? 'its bytes are others' : `it has ${found.size} bytes`;
  const message = `${JSON.stringify(path)} is not the file that the manifest lists: ${what}, where ${size} with SHA-256 ${sha256.slice(0, 12)}… are expected.`;
  return [filesFinding(dir, path, { code: 'package.digest_mismatch', message, hint: restoreHint })];
}

const restoreHint = 'It was changed after the run: take the package from the run again, or run the recipe again.';

function noDigestFinding(dir: string, path: string, index: number): Finding {
  const message = `Entry ${index} of the manifest, ${JSON.stringify(path)}, has no "sha256" and "size" to be held against.`;
  return filesFinding(dir, 'artifact-manifest.json', { code: 'package.no_digest', message, hint: restoreHint });
}

function linkFinding(dir: string, path: string): Finding {
  const message = `${JSON.stringify(path)} is a link; what it leads to can change while the package stays the same.`;
  return filesFinding(dir, path, {
    code: 'package.link',
    message,
    hint: 'Put the file itself in its place, as the run wrote it.',
  });
}

function notListedFinding(dir: string, path: string): Finding {
  const message = `${JSON.stringify(path)} is in the package, but the manifest does not list it.`;
  const hint = 'It was added after the run: take it out, or keep it elsewhere.';
  return filesFinding(dir, path, { code: 'package.unlisted_file', message, hint });
}

function filesFinding(dir: string, path: string, text: Pick<Finding, 'code' | 'message' | 'hint'>): Finding {
  return { severity: 'error', path: '', place: { file: join(dir, path), line: 1, column: 1 }, ...text };
}
