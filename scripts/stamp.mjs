// The state of the last set-up. It is stored in node_modules, so that deleting node_modules also deletes it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

const file = path.join(root, 'node_modules', '.recipewright-setup.json');

export function readStamp() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // ENOENT in a new clone, or SyntaxError for an incomplete file: everything is checked again.
  }
}

export function writeStamp(changes) {
  writeFileSync(file, `${JSON.stringify({ ...readStamp(), ...changes }, null, 2)}\n`);
}

/** Returns a hash of the names and contents of all files that the build reads or publishes. */
export function sourceHash() {
  const parts = [
    'src',
    'fixtures',
    'reporters',
    'schemas',
    'tsup.config.ts',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ];
  const hash = createHash('sha256');
  for (const name of parts.flatMap(filesUnder)) hash.update(`${name}\0`).update(readFileSync(path.join(root, name)));
  return hash.digest('hex');
}

function filesUnder(name) {
  const full = path.join(root, name);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [name];
  return readdirSync(full)
    .sort()
    .flatMap((entry) => filesUnder(`${name}/${entry}`));
}
