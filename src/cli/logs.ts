// recipewright logs: prints the output or the event log of a started run.
import { join } from 'node:path';
import { exitCodes } from '../evidence/exitCodes.js';
import { readRecords, stateFiles } from '../hosts/detached/runState.js';
import { readBytesIfThere } from '../system/files/files.js';
import { type FindRunOptions, findRun } from './findRun.js';
import { printJson } from './output.js';

export function logs(runs: readonly string[], options: FindRunOptions & { events?: unknown }): number {
  const { run, stateDir } = findRun(runs, 'logs', options);
  const bytesOf = (name: 'stdout' | 'stderr' | 'events'): Buffer =>
    readBytesIfThere(join(stateDir, stateFiles[name])) ?? Buffer.alloc(0);
  if (options.json) {
    printJson({
      run,
      stdout: bytesOf('stdout').toString(),
      stderr: bytesOf('stderr').toString(),
      events: readRecords(stateDir, 'events'),
    });
    return exitCodes.pass;
  }
  process.stdout.write(bytesOf(options.events ? 'events' : 'stdout'));
  if (!options.events) process.stderr.write(bytesOf('stderr'));
  return exitCodes.pass;
}
