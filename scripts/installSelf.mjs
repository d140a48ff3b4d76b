// Puts the published files into node_modules/recipewright, so that examples and tests import the package as a user does.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './run.mjs';
import { sourceHash, writeStamp } from './stamp.mjs';

const target = path.join(root, 'node_modules', 'recipewright');

/** A real copy: Playwright follows a link out of node_modules and would then transform our built files. */
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
