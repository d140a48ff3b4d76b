// Checks the files that "npm publish" would upload: node scripts/releaseTarball.mjs
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runNpm, tail } from './run.mjs';

const folders = ['dist', 'schemas'];
const pages = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

/** Returns the files of the package and their size. Throws when a file is missing or when users do not need a file. */
export async function checkTarball() {
  const result = await runNpm(['pack', '--dry-run', '--json', '--loglevel=error'], { timeoutMs: 120_000 });
  if (result.code !== 0) throw new Error(`npm pack failed:\n${tail(result)}`);
  // npm prints a list of packages, and since npm 12 an object with the packages by name.
  const [{ files, unpackedSize }] = Object.values(JSON.parse(result.output));
  const names = files.map((file) => file.path);
  const missing = requiredFiles().filter((name) => !names.includes(name));
  if (missing.some((name) => name.startsWith('dist/')))
    throw new Error(`The package would lack ${missing.join(', ')}. Run: npm run build`);
  if (missing.length > 0) throw new Error(`The package would lack ${missing.join(', ')}. Check "files" in package.json.`);
  if (!names.some((name) => /^schemas\/.+\.schema\.json$/.test(name)))
    throw new Error('The package would lack its JSON Schemas. Check "files" in package.json.');
  const unneeded = names.filter((name) => !isNeeded(name));
  if (unneeded.length > 0)
    throw new Error(
      `The package would contain files that users do not need: ${unneeded.join(', ')}. Check "files" in package.json.`,
    );
  return { names, unpackedSize };
}

export function describeTarball({ names, unpackedSize }) {
  const tops = [...new Set(names.map((name) => name.split('/')[0]))].sort();
  return `${names.length} files, ${(unpackedSize / 1e6).toFixed(1)} MB unpacked: ${tops.join(', ')}`;
}

/** Returns the files that package.json refers to: its entry points, their types and its program. */
function requiredFiles() {
  const { exports, bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const targets = [...Object.values(exports).flatMap(targetsOf), ...Object.values(bin)];
  const files = targets.filter((target) => !target.includes('*')).map((target) => target.replace(/^\.\//, ''));
  return [...new Set([...pages, ...files])];
}

function targetsOf(target) {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf);
}

function isNeeded(name) {
  if (/\.(test|spec)\.[cm]?[jt]sx?(\.map)?$/.test(name)) return false;
  return pages.includes(name) || folders.some((folder) => name.startsWith(`${folder}/`));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(describeTarball(await checkTarball()));
  } catch (error) {
    console.error(`✗ ${error.message}`);
    process.exitCode = 1;
  }
}
