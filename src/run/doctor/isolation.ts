// Whether a run has a place of its own: to write, to keep evidence, and to find what it started.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainNotWritable, freeBytes, listOtherRunsIn, probeWritable } from '../../system/machine.js';
import { canSeeProcesses } from '../../system/processes/processTable.js';
import { type Check, fail, pass, warn } from './doctorCheck.js';

const megabyte = 1_000_000;
const minFreeBytes = 100 * megabyte;
const comfortableBytes = 1_000 * megabyte;

export function examineIsolation(projectRoot: string): Check[] {
  return [
    examineTemp(tmpdir()),
    examineResults(join(projectRoot, 'recipe-results')),
    examineDisk([tmpdir(), projectRoot]),
    examineProcesses(),
    examineRuns(projectRoot),
  ];
}

function examineTemp(dir: string): Check {
  const why = probeWritable(dir);
  return why === undefined
    ? pass('isolation.temp', `Temporary files go to ${dir}.`)
    : fail('isolation.temp', `Temporary files cannot be written: ${why}.`);
}

function examineResults(dir: string): Check {
  const why = explainNotWritable(dir);
  return why === undefined
    ? pass('isolation.results', `Evidence can be written to ${dir}.`)
    : fail('isolation.results', `Evidence cannot be written to ${dir}: ${why}.`);
}

export function examineDisk(dirs: readonly string[], free: (dir: string) => number | undefined = freeBytes): Check {
  const known = dirs.flatMap((dir) => {
    const bytes = free(dir);
    return bytes === undefined ? [] : [{ dir, bytes }];
  });
  const [least] = known.sort((a, b) => a.bytes - b.bytes);
  if (!least) return pass('isolation.disk', 'The system does not say how much space is left.');
  const space = `${Math.floor(least.bytes / megabyte).toLocaleString('en')} MB are left on the disk of ${least.dir}`;
  if (least.bytes < minFreeBytes) return fail('isolation.disk', `Only ${space}.`);
  return least.bytes < comfortableBytes ? warn('isolation.disk', `Only ${space}.`) : pass('isolation.disk', `${space}.`);
}

function examineProcesses(): Check {
  return canSeeProcesses()
    ? pass('isolation.processes', 'What a command leaves running is found by its environment in /proc.')
    : warn('isolation.processes', 'There is no /proc: what leaves its process group and goes on running is not found.');
}

function examineRuns(projectRoot: string): Check {
  const others = listOtherRunsIn(projectRoot);
  return others.length === 0
    ? pass('isolation.runs', 'No other run works in this project.')
    : warn('isolation.runs', `Another run works in this project: ${others.slice(0, 5).join(', ')}.`);
}
