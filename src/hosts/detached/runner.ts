// The process of a detached run: `node detached-runner.js STATE_DIR`. Writes runner.json, runs the recipe, and writes result.json.
// A runner that ends without a result has crashed.
import { join } from 'node:path';
import { omitUndefined } from '../../document/omitUndefined.js';
import { exitCodes } from '../../evidence/failureTable.js';
import { systemClock } from '../../system/clock.js';
import { hasChildProcesses } from '../../system/processes/detachedProcess.js';
import type { ProcessTree } from '../../system/processes/killTree.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import { RunFollower } from './runFollower.js';
import {
  appendEvent,
  childRunDirs,
  isTerminal,
  type ResultFile,
  type RunFile,
  readRunState,
  readState,
  stateFiles,
  stateVariable,
  writeState,
} from './runState.js';
import { runPartFor } from './startRun.js';

async function main(stateDir: string): Promise<void> {
  const runFile = readState<RunFile>(stateDir, 'run');
  if (!runFile) throw new Error(`${stateDir} holds no run.`);
  const tree = { pid: process.pid, tag: runFile.tag };
  writeState(stateDir, 'runner', { ...tree, began_at: systemClock.wall() });
  appendEvent(stateDir, 'run.runner.start', { pid: process.pid });
  const follower = new RunFollower(stateDir, runFile.run, runFile.mailbox);
  const retirement = new AbortController();
  const stopPolling = poll(() => {
    follower.readNew();
    if (runFile.retire_when && onlyWaitsForEndedChildren(stateDir, tree)) retirement.abort();
  });
  const result = await runInRunner(stateDir, runFile, { follower, signal: retirement.signal });
  stopPolling();
  follower.end();
  const resultFile = toResultFile(result, { stateDir, run: runFile.run, hasRetired: retirement.signal.aborted });
  follower.writeStatus(resultFile.status);
  appendEvent(stateDir, endEvents[resultFile.status], { verdict: resultFile.verdict, reason: resultFile.reason });
  // Last, so that a reader of the result finds the other files complete.
  writeState(stateDir, 'result', resultFile);
  process.exit(resultFile.exit_code);
}

const endEvents: Record<ResultFile['status'], string> = {
  done: 'run.done',
  cancelled: 'run.cancelled',
  retired: 'run.retired',
  failed: 'run.failed',
  unknown: 'run.failed',
  invalid: 'run.failed',
};

type RunControl = { follower: RunFollower; signal: AbortSignal };

function runInRunner(stateDir: string, runFile: RunFile, { follower, signal }: RunControl): Promise<RunResult> {
  const { run, recipe, project_root: projectRoot, inputs, setup, libraries, answers } = runFile;
  return runRecipe(recipe, {
    artifactsDir: join(stateDir, stateFiles.package),
    projectRoot,
    inputTexts: new Map(Object.entries(inputs)),
    ...omitUndefined({ setup, libraries, answers }),
    signals: true,
    signal,
    output: (stream, chunk) => void process[stream].write(chunk),
    passEnv: [stateVariable],
    part: { ...runPartFor({ run, stateDir, recipe, projectRoot }), useVault: (vault) => follower.useVault(vault) },
  });
}

type EndedRun = { stateDir: string; run: string; hasRetired: boolean };

function toResultFile(result: RunResult, { stateDir, run, hasRetired }: EndedRun): ResultFile {
  const common = { run, exit_code: result.exitCode, completed_at: systemClock.wall() };
  if (!result.ran) {
    const reason = result.findings.find(({ severity }) => severity === 'error')?.message ?? 'The recipe could not be run.';
    const status = result.exitCode === exitCodes.invalid ? 'invalid' : 'unknown';
    return { ...common, status, verdict: status, reason };
  }
  const { status: verdict, reason, signal } = result.summary;
  const statusOfVerdict = { pass: 'done', fail: 'failed', unknown: 'unknown' } as const;
  const status = hasRetired ? 'retired' : signal === undefined ? statusOfVerdict[verdict] : 'cancelled';
  return { ...common, status, verdict, reason, package: join(stateDir, stateFiles.package) };
}

/** Whether the run only waits for runs that it started, and all of them have ended. */
function onlyWaitsForEndedChildren(stateDir: string, tree: ProcessTree): boolean {
  const children = childRunDirs(stateDir);
  return children.length > 0 && children.every((child) => isTerminal(readRunState(child))) && !hasChildProcesses(tree);
}

const pollIntervalMs = 100;

function poll(onTick: () => void): () => void {
  let cancelTimer = systemClock.after(pollIntervalMs, tick);
  function tick(): void {
    onTick();
    cancelTimer = systemClock.after(pollIntervalMs, tick);
  }
  return () => cancelTimer();
}

void main(process.argv[2] ?? '');
