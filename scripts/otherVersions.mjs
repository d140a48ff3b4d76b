// Installs the package like a user into a cache folder, with other versions of its peer dependencies or of Node.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNpm, tail } from './run.mjs';
import { sourceHash } from './stamp.mjs';

/** Returns a node_modules folder with recipewright and `packages`. Installs it again when the sources or the packages change. */
export async function modulesWith(name, packages) {
  const dir = path.join(root, 'node_modules', '.cache', 'lanes', name);
  const stamp = path.join(dir, 'stamp.json');
  const stampText = JSON.stringify({ packages, source: sourceHash() });
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === stampText) return path.join(dir, 'node_modules');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), '{ "private": true }\n');
  await npm(['pack', '--pack-destination', dir], root);
  const packed = readdirSync(dir).find((file) => file.endsWith('.tgz'));
  // --legacy-peer-deps, because a lane does not need the peer dependencies of the other lanes.
  await npm(['install', '--no-package-lock', '--legacy-peer-deps', `./${packed}`, ...packages], dir);
  writeFileSync(stamp, stampText);
  return path.join(dir, 'node_modules');
}

/** Returns the program of the npm package `node`. */
export function nodeIn(modules) {
  return path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

async function npm(args, cwd) {
  const result = await runNpm(args, { cwd, timeoutMs: 300_000 });
  if (result.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${tail(result)}`);
}
