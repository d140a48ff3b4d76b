// Builds dist/ and installs a copy of it for examples and tests: npm run build [-- --no-dts, for a quick one without the types]
import { rmSync } from 'node:fs';
import path from 'node:path';
import { installSelf } from './installSelf.mjs';
import { root, run, runTool } from './run.mjs';

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const steps = [
  () => runTool('tsup/dist/cli-default.js', process.argv.slice(2), { show: true }),
  () => run(process.execPath, [path.join(root, 'scripts/finishBuild.mjs')], { show: true }),
];
for (const step of steps) {
  const { code } = await step();
  if (code !== 0) process.exit(code);
}
installSelf();
