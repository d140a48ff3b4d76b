// Installs the dependencies when they are missing or differ from the lock file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { root, runNpm, seconds, tail } from './run.mjs';
import { readStamp, writeStamp } from './stamp.mjs';

export async function ensureDependencies(say) {
  const wanted = readJson('package.json');
  const lock = readJson('package-lock.json');
  const hash = dependencyHash(wanted, lock);
  const installed = readJson('node_modules/.package-lock.json');
  if (installed && readStamp().dependencies === hash) return;
  if (!installed || !matches(wanted, lock, installed)) await install(say);
  writeStamp({ dependencies: hash });
}

async function install(say) {
  say('Installing dependencies (npm ci), about half a minute ...');
  const result = await runNpm(['ci', '--no-audit', '--no-fund']);
  if (result.code === 0) return say(`Dependencies installed in ${seconds(result.ms)}.`);
  // npm prints the reason first and its usage last.
  const errorLines = result.output.split('\n').filter((line) => /^npm (error|ERR)/.test(line));
  const details = tail({ ...result, output: errorLines.slice(0, 12).join('\n') });
  const message = `npm ci failed:\n${details}\n\n  Check the network and npm's registry setting, then run this command again.`;
  throw Object.assign(new Error(message), { stage: 'install' });
}

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

// Hashes only the parts that determine the installed tree, so that a changed script in package.json causes no new installation.
function dependencyHash(wanted, lock) {
  const parts = [kinds.map((kind) => wanted[kind]), lock, process.platform, process.arch];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

// Compares the lock file with npm's record of the installed tree, so that a tree from a manual "npm install" is also accepted.
function matches(wanted, lock, installed) {
  if (!lock || kinds.some((kind) => !isDeepStrictEqual(wanted[kind] ?? {}, lock.packages[''][kind] ?? {}))) return false;
  const { '': _, ...locked } = lock.packages;
  const present = Object.entries(locked).every(([name, entry]) => {
    const installedEntry = installed.packages[name];
    return installedEntry ? installedEntry.version === entry.version : entry.optional || entry.devOptional || entry.peer;
  });
  return present && Object.keys(installed.packages).every((name) => name in locked || name === 'node_modules/recipewright');
}

function readJson(name) {
  try {
    return JSON.parse(readFileSync(path.join(root, name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
