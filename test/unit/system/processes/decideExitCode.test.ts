// decideExitCode() decides the exit code of a process after all other code.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns the exit code of a process that decides on 3 instead of 0, and then runs `work`. */
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
  ['the process ends normally', '', 3],
  ['the process calls process.exit(0)', 'process.exit(0);', 3],
  ['a later listener sets the exit code', "process.on('exit', () => { process.exitCode = 0; });", 3],
  ['a later listener calls process.exit()', "process.on('exit', () => process.exit(0)); process.exit(0);", 3],
  ['the process sets its own exit code', 'process.exitCode = 5;', 5],
  ['the decision was removed', 'stop();', 0],
] as const)('the exit code is the decided one when %s', ([, work, exitCode]) => {
  expect(exitCodeAfter(work)).toBe(exitCode);
});
