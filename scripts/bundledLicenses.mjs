// Writes the licenses of the packages whose code is bundled into dist/. Their licenses require it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.mjs';

/** Reads the bundler's list of inputs, and removes that list, because it is not part of the package. */
export function writeBundledLicenses() {
  const metafile = path.join(root, 'dist/metafile-esm.json');
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8'));
  const folders = Object.keys(inputs).flatMap((name) => name.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  const sections = [...new Set(folders)].sort().map((folder) => formatLicense(path.join(root, folder)));
  const intro = 'The files of this package contain code of the following packages.\n';
  writeFileSync(path.join(root, 'dist/THIRD-PARTY-LICENSES.txt'), [intro, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
  rmSync(metafile);
}

function formatLicense(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} ${version} (${license}) has no license file in ${path.relative(root, folder)}.`);
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
}
