// Builds dist/ and installs a copy of it for examples and tests: npm run build. "npm run build -- --no-dts" skips the types and is
// faster.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeBundledLicenses } from './bundledLicenses.mjs';
import { installSelf } from './installSelf.mjs';
import { root, runTool } from './run.mjs';

const args = process.argv.slice(2);
const types = path.join(root, 'dist/.types');

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const steps = [
  // tsc emits the declarations without checking the sources, because "npm test" checks them. The bundler would check them for a
  // minute.
  () => !args.includes('--no-dts') && runTool('typescript/bin/tsc', ['--project', 'tsconfig.build.json'], { show: true }),
  () => runTool('tsup/dist/cli-default.js', args, { show: true }),
];
for (const step of steps) {
  const { code = 0 } = await step();
  if (code !== 0) process.exit(code);
}
rmSync(types, { recursive: true, force: true });
writeBundledLicenses();
writeCommonJsEntries();
installSelf();

/** Writes the entry points for require(). They load the same modules as import does, so that each module is loaded only once. */
function writeCommonJsEntries() {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const { require: entry } of Object.values(exports)) {
    if (!entry) continue;
    const name = path.basename(entry.default, '.cjs');
    const exported = name.endsWith('-reporter')
      ? `Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = require('./${name}.js').default;\n`
      : `module.exports = require('./${name}.js');\n`;
    writeFileSync(path.join(root, entry.default), exported);
  }
}
