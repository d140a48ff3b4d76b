// Builds source files that are not entry points of the package, with the same options as the package.
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `files` are source files by the name of their output. Returns the URL of the folder with the built files. */
export async function buildSources(folderName, files) {
  const outDir = path.join(root, 'bench/run/generated', folderName);
  const entry = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, path.join(root, 'src', file)]));
  await build({ config: path.join(root, 'tsup.config.ts'), entry, outDir, dts: false, clean: true, silent: true });
  return pathToFileURL(`${outDir}/`);
}
