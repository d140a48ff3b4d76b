// Builds dist/ and installs a copy of it for examples and tests: npm run build. "npm run build -- --no-dts" skips the types and is
// faster.
import { rmSync } from 'node:fs';
import path from 'node:path';
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
installSelf();
