// recipewright status RUN [--wait] [--state-dir D] [--json]
import { exitCodes } from '../evidence/exitCodes.js';
import { isTerminal, type ResultFile, type RunState, readRunState, readState } from '../hosts/detached/runState.js';
import { systemClock } from '../system/clock.js';
import { type FindRunOptions, findRun } from './findRun.js';
import { print, printJson } from './output.js';

type Progress = { completed: number; failures: { path: string; message: string }[]; active: { path: string }[] };

export async function status(runs: readonly string[], options: FindRunOptions & { wait?: unknown }): Promise<number> {
  const { run, stateDir, state: before } = findRun(runs, 'status', options);
  const state = options.wait ? await waitForEnd(stateDir) : before;
  // One that the state does not bear out is not shown.
  const result = isTerminal(state) && state !== 'crashed' ? readState<ResultFile>(stateDir, 'result') : undefined;
  const { completed, failures, active } = parseProgress(readState<unknown>(stateDir, 'status'));
  const doing = isTerminal(state) ? [] : active;
  if (options.json)
    printJson({ run, status: state, completed, failures, active: doing, ...(result ? { result } : {}), stateDir });
  else
    print(
      [
        `${run}: ${state}${result ? ` (${result.reason})` : crashNote(state)}`,
        ...progressLines({ completed, failures, active: doing }),
      ].join('\n'),
    );
  return exitCodeOf(state, result);
}

// The commands of a run can write there, too.
function parseProgress(json: unknown): Progress {
  const { completed, failures, active } = Object(json) as Record<keyof Progress, unknown>;
  const listed = (list: unknown): Record<string, unknown>[] =>
    Array.isArray(list) ? list.map((one) => ({ ...Object(one) })) : [];
  return {
    completed: Number.isInteger(completed) ? Number(completed) : 0,
    failures: listed(failures).map((one) => ({ ...one, path: String(one.path), message: String(one.message) })),
    active: listed(active).map((one) => ({ ...one, path: String(one.path) })),
  };
}

function progressLines({ completed, failures, active }: Progress): string[] {
  return [
    `${completed} ${completed === 1 ? 'command' : 'commands'} ended, ${failures.length} failed`,
    ...failures.map(({ path, message }) => `  ${path}: ${message.split('\n')[0]}`),
    ...active.map(({ path }) => `  running: ${path}`),
  ];
}

function crashNote(state: RunState): string {
  return state === 'crashed' ? ' (its process is gone and left no result; see recipewright logs)' : '';
}

async function waitForEnd(stateDir: string): Promise<RunState> {
  for (;;) {
    const state = readRunState(stateDir) ?? 'crashed';
    if (isTerminal(state)) return state;
    await new Promise<void>((resume) => systemClock.after(100, resume));
  }
}

/** What is not over yet is not good yet. */
function exitCodeOf(state: RunState, result: ResultFile | undefined): number {
  if (state === 'done') return exitCodes.pass;
  if (state === 'crashed') return exitCodes.harness;
  return result && result.exit_code !== 0 ? result.exit_code : exitCodes.failed;
}
