// The process of a run that nobody waits for. It says that it began, runs the recipe, and leaves a result; without one it has crashed.
import { join } from 'node:path';
import { omitUndefined } from '../../document/omitUndefined.js';
import { systemClock } from '../../system/clock.js';
import { hasChildProcesses } from '../../system/processes/detachedProcess.js';
import { type RunResult, runRecipe } from '../plain/runRecipe.js';
import { FollowRun } from './followRun.js';
import { givenTo } from './givenTo.js';
import {
  childrenOf,
  isTerminal,
  names,
  type ResultFile,
  type RunFile,
  readState,
  stateOf,
  stateVariable,
  tellEvent,
  writeState,
} from './runState.js';

const stateDir = process.argv[2] ?? '';
const asked = readState<RunFile>(stateDir, 'run');
if (!asked) throw new Error(`${stateDir} holds no run.`);
const { run, recipe, mailbox } = asked;
const tree = { pid: process.pid, tag: asked.tag };
writeState(stateDir, 'runner', { ...tree, began_at: systemClock.wall() });
tellEvent(stateDir, 'run.runner.start', { pid: process.pid });
const following = new FollowRun(stateDir, run, mailbox);
const retire = new AbortController();
const stopLooking = everySoOften(() => {
  following.look();
  if (asked.retire_when && isDeserted()) retire.abort();
});
void perform(asked).then((result) => {
  stopLooking();
  following.end();
  const told = resultOf(result);
  following.tellStatus(told.status);
  const event = { done: 'run.done', cancelled: 'run.cancelled', retired: 'run.retired' }[told.status as string] ?? 'run.failed';
  tellEvent(stateDir, event, { verdict: told.verdict, reason: told.reason });
  // Last of all: who sees it finds everything else in its place.
  writeState(stateDir, 'result', told);
  process.exit(told.exit_code);
});

function perform({ project_root: projectRoot, inputs, setup, libraries, answers }: RunFile): Promise<RunResult> {
  return runRecipe(recipe, {
    ...{ artifactsDir: join(stateDir, names.package), signals: true, signal: retire.signal, projectRoot },
    ...{ inputTexts: new Map(Object.entries(inputs)), ...omitUndefined({ setup, libraries, answers }) },
    output: (stream, chunk) => void process[stream].write(chunk),
    passEnv: [stateVariable],
    part: { ...givenTo({ run, stateDir, recipe, projectRoot }), keepsSecret: (vault) => following.keepsSecret(vault) },
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
  const status = retire.signal.aborted ? 'retired' : signal === undefined ? ended[verdict] : 'cancelled';
  return { ...common, status, verdict, reason, package: join(stateDir, names.package) };
}

/** It started other runs, all of them are over, and it does nothing but wait. */
function isDeserted(): boolean {
  const children = childrenOf(stateDir);
  return children.length > 0 && children.every((child) => isTerminal(stateOf(child))) && !hasChildProcesses(tree);
}

function everySoOften(look: () => void): () => void {
  let withdraw = systemClock.after(100, again);
  function again(): void {
    look();
    withdraw = systemClock.after(100, again);
  }
  return () => withdraw();
}
