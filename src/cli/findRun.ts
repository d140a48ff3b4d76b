// Finds a run of `recipewright start` by its id or its state directory.
import { join, resolve } from 'node:path';
import { type RunState, readRunState } from '../hosts/detached/runState.js';
import { isRunId, runsFolder } from '../hosts/detached/startRun.js';
import { findProjectRoot } from '../system/project.js';
import { UsageError } from './usage.js';

export type FindRunOptions = Readonly<Partial<Record<'stateDir' | 'projectRoot' | 'json', unknown>>>;

type FoundRun = { run: string; stateDir: string; state: RunState };

export function findRun(runs: readonly string[], command: string, { stateDir, projectRoot }: FindRunOptions): FoundRun {
  const [run, ...others] = runs.map(String);
  if (run === undefined || others.length > 0)
    throw new UsageError(`${command} needs the id of one run, but it got ${runs.length}.`);
  if (!isRunId(run)) throw new UsageError('Run id may contain only letters, numbers, dot, underscore, and dash.');
  const root = typeof projectRoot === 'string' ? resolve(projectRoot) : findProjectRoot(join(process.cwd(), 'package.json'));
  const dir = typeof stateDir === 'string' && stateDir !== '' ? resolve(stateDir) : join(runsFolder(root), run);
  const state = readRunState(dir);
  if (state === undefined)
    throw new UsageError(
      `There is no run ${JSON.stringify(run)}: ${dir} does not contain the state of a run. Check the id, or pass --state-dir.`,
    );
  return { run, stateDir: dir, state };
}
