// The process of a run that nobody waits for. It says that it began, runs the recipe, and leaves a result; without one it has crashed.
import { join } from 'node:path';
import { omitUndefined } from '../../document/omitUndefined.js';
import { systemClock } from '../../system/clock.js';
import { hasChildProcesses } from '../../system/processes/detachedProcess.js';
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

const stateDir = process.argv[2] ?? '';
const runFile = readState<RunFile>(stateDir, 'run');
if (!runFile) throw new Error(`${stateDir} holds no run.`);
const { run, recipe, mailbox } = runFile;
const tree = { pid: process.pid, tag: runFile.tag };
writeState(stateDir, 'runner', { ...tree, began_at: systemClock.wall() });
appendEvent(stateDir, 'run.runner.start', { pid: process.pid });
const follower = new RunFollower(stateDir, run, mailbox);
const retirement = new AbortController();
const stopPolling = poll(() => {
  follower.readNew();
  if (runFile.retire_when && onlyWaitsForEndedChildren()) retirement.abort();
});
void runInRunner(runFile).then((result) => {
  stopPolling();
  follower.end();
  const resultFile = resultOf(result);
  follower.writeStatus(resultFile.status);
  const event =
    { done: 'run.done', cancelled: 'run.cancelled', retired: 'run.retired' }[resultFile.status as string] ?? 'run.failed';
  appendEvent(stateDir, event, { verdict: resultFile.verdict, reason: resultFile.reason });
  // Last of all: who sees it finds everything else in its place.
  writeState(stateDir, 'result', resultFile);
  process.exit(resultFile.exit_code);
});

function runInRunner({ project_root: projectRoot, inputs, setup, libraries, answers }: RunFile): Promise<RunResult> {
  return runRecipe(recipe, {
    ...{ artifactsDir: join(stateDir, stateFiles.package), signals: true, signal: retirement.signal, projectRoot },
    ...{ inputTexts: new Map(Object.entries(inputs)), ...omitUndefined({ setup, libraries, answers }) },
    output: (stream, chunk) => void process[stream].write(chunk),
    passEnv: [stateVariable],
    part: { ...runPartFor({ run, stateDir, recipe, projectRoot }), keepsSecret: (vault) => follower.useVault(vault) },
  });
}

function resultOf(ran: RunResult): ResultFile {
  const common = { run, exit_code: ran.exitCode, completed_at: systemClock.wall() };
  if (!ran.ran) {
    const reason = ran.findings.find(({ severity }) => severity === 'error')?.message ?? 'It could not be run.';
    return {
      ...common,
      status: ran.exitCode === 2 ? 'invalid' : 'unknown',
      verdict: ran.exitCode === 2 ? 'invalid' : 'unknown',
      reason,
    };
  }
  const { status: verdict, reason, signal } = ran.summary;
  const ended = { pass: 'done', fail: 'failed', unknown: 'unknown' } as const;
  const status = retirement.signal.aborted ? 'retired' : signal === undefined ? ended[verdict] : 'cancelled';
  return { ...common, status, verdict, reason, package: join(stateDir, stateFiles.package) };
}

/** It started other runs, all of them are over, and it does nothing but wait. */
function onlyWaitsForEndedChildren(): boolean {
  const children = childRunDirs(stateDir);
  return children.length > 0 && children.every((child) => isTerminal(readRunState(child))) && !hasChildProcesses(tree);
}

function poll(onTick: () => void): () => void {
  let withdraw = systemClock.after(100, tick);
  function tick(): void {
    onTick();
    withdraw = systemClock.after(100, tick);
  }
  return () => withdraw();
}
