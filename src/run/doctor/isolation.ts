// Checks whether runs can work without disturbing each other: where they write, the disk space, and the processes they start.
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
    : fail('isolation.temp', `A run cannot write temporary files: ${why}.`);
}

function examineResults(dir: string): Check {
  const why = explainNotWritable(dir);
  return why === undefined
    ? pass('isolation.results', `A run can write evidence to ${dir}.`)
    : fail('isolation.results', `A run cannot write evidence to ${dir}: ${why}.`);
}

export function examineDisk(dirs: readonly string[], free: (dir: string) => number | undefined = freeBytes): Check {
  const known = dirs.flatMap((dir) => {
    const bytes = free(dir);
    return bytes === undefined ? [] : [{ dir, bytes }];
  });
  const [least] = known.sort((a, b) => a.bytes - b.bytes);
  if (!least) return pass('isolation.disk', 'The system does not report how much disk space is free.');
  const space = `${Math.floor(least.bytes / megabyte).toLocaleString('en')} MB are free on the disk of ${least.dir}`;
  if (least.bytes < minFreeBytes) return fail('isolation.disk', `Only ${space}.`);
  return least.bytes < comfortableBytes ? warn('isolation.disk', `Only ${space}.`) : pass('isolation.disk', `${space}.`);
}

function examineProcesses(): Check {
  return canSeeProcesses()
    ? pass('isolation.processes', 'recipewright reads /proc to find the processes that a command leaves running.')
    : warn('isolation.processes', 'Without /proc, recipewright does not find a process that leaves its process group.');
}

function examineRuns(projectRoot: string): Check {
  const others = listOtherRunsIn(projectRoot);
  return others.length === 0
    ? pass('isolation.runs', 'No other run is active in this project.')
    : warn('isolation.runs', `Another run is active in this project: ${others.slice(0, 5).join(', ')}.`);
}
