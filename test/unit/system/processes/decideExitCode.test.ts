// Who has the last word on the exit code of a process.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The exit code of a process that decides on 3 when it would end with 0, and then does `work`. */
function exitCodeAfter(work: string): number | null {
  const code = `
    import { createJiti } from 'jiti';
    const { decideExitCode } = await createJiti(${JSON.stringify(root)}).import('./src/system/processes/decideExitCode.ts');
    const stop = decideExitCode((exitCode) => exitCode || 3);
    ${work}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    .status;
}

test.for([
  ['nothing', '', 3],
  ['process.exit(0)', 'process.exit(0);', 3],
  ['a later listener that sets the exit code', "process.on('exit', () => { process.exitCode = 0; });", 3],
  ['a later listener that exits', "process.on('exit', () => process.exit(0)); process.exit(0);", 3],
  ['an exit code of its own', 'process.exitCode = 5;', 5],
  ['an end of the deciding', 'stop();', 0],
] as const)('%s does not change what was decided for it', ([, work, exitCode]) => {
  expect(exitCodeAfter(work)).toBe(exitCode);
});
