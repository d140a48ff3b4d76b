// Copies the published files to node_modules/recipewright, so that examples and tests import the package like a user.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';
import { sourceHash, writeStamp } from './stamp.mjs';

const target = path.join(root, 'node_modules', 'recipewright');

/** Makes a real copy, because Playwright would follow a link out of node_modules and transform the built files. */
export function installSelf() {
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const fresh = `${target}-${process.pid}.tmp`;
  mkdirSync(fresh, { recursive: true });
  for (const name of ['package.json', ...files]) {
    const source = path.join(root, name);
    if (existsSync(source)) cpSync(source, path.join(fresh, name), { recursive: true });
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
  writeStamp({ build: sourceHash() });
}

export function selfIsInstalled() {
  return existsSync(path.join(target, 'package.json')) && existsSync(path.join(target, 'dist'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) installSelf();
