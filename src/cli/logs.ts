// recipewright logs: prints the output or the event log of a run of `recipewright start`.
import { join } from 'node:path';
import { exitCodes } from '../evidence/failureTable.js';
import { readRecords, stateFiles } from '../hosts/detached/runState.js';
import { readBytesIfThere } from '../system/files/files.js';
import { type FindRunOptions, findRun } from './findRun.js';
import { printJson } from './output.js';

export function logs(runs: readonly string[], options: FindRunOptions & { events?: unknown }): number {
  const { run, stateDir } = findRun(runs, 'logs', options);
  const readFileBytes = (name: 'stdout' | 'stderr' | 'events'): Buffer =>
    readBytesIfThere(join(stateDir, stateFiles[name])) ?? Buffer.alloc(0);
  if (options.json) {
    printJson({
      run,
      stdout: readFileBytes('stdout').toString(),
      stderr: readFileBytes('stderr').toString(),
      events: readRecords(stateDir, 'events'),
    });
    return exitCodes.pass;
  }
  process.stdout.write(readFileBytes(options.events ? 'events' : 'stdout'));
  if (!options.events) process.stderr.write(readFileBytes('stderr'));
  return exitCodes.pass;
}
