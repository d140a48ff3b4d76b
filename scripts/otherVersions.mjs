// The package installed as a user does, beside other versions of its peers or with another Node, below the cache.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runNpm, tail } from './run.mjs';
import { sourceHash } from './stamp.mjs';

/** The node_modules with recipewright and `packages` in it; made anew when the sources or the packages change. */
export async function modulesWith(name, packages) {
  const dir = path.join(root, 'node_modules', '.cache', 'lanes', name);
  const stamp = path.join(dir, 'stamp.json');
  const wanted = JSON.stringify({ packages, source: sourceHash() });
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return path.join(dir, 'node_modules');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), '{ "private": true }\n');
  await npm(['pack', '--pack-destination', dir], root);
  const packed = readdirSync(dir).find((file) => file.endsWith('.tgz'));
  // The peers of this repository's other lanes are not there, and need not be.
  await npm(['install', '--no-package-lock', '--legacy-peer-deps', `./${packed}`, ...packages], dir);
  writeFileSync(stamp, wanted);
  return path.join(dir, 'node_modules');
}

/** The program that the npm package `node` brings. */
export function nodeIn(modules) {
  return path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

async function npm(args, cwd) {
  const done = await runNpm(args, { cwd, timeoutMs: 300_000 });
  if (done.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${tail(done)}`);
}
