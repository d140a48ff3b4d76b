// recipewright status: prints the state of a run that `recipewright start` started in a separate process.
import { exitCodes } from '../evidence/failureTable.js';
import { isTerminal, type ResultFile, type RunState, readRunState, readState } from '../hosts/detached/runState.js';
import { systemClock } from '../system/clock.js';
import { type FindRunOptions, findRun } from './findRun.js';
import { print, printJson } from './output.js';

type Progress = { completed: number; failures: { path: string; message: string }[]; active: { path: string }[] };

export async function status(runs: readonly string[], options: FindRunOptions & { wait?: unknown }): Promise<number> {
  const { run, stateDir, state: before } = findRun(runs, 'status', options);
  const state = options.wait ? await waitForEnd(stateDir) : before;
  // The result file of a run that crashed or still runs cannot be trusted.
  const result = isTerminal(state) && state !== 'crashed' ? readState<ResultFile>(stateDir, 'result') : undefined;
  const { completed, failures, active } = parseProgress(readState<unknown>(stateDir, 'status'));
  const running = isTerminal(state) ? [] : active;
  if (options.json)
    printJson({ run, status: state, completed, failures, active: running, ...(result ? { result } : {}), stateDir });
  else
    print(
      [
        `${run}: ${state}${result ? ` (${result.reason})` : describeCrash(state)}`,
        ...formatProgress({ completed, failures, active: running }),
      ].join('\n'),
    );
  return toExitCode(state, result);
}

// Checks the content, because commands of the run can write to the same file.
function parseProgress(json: unknown): Progress {
  const { completed, failures, active } = Object(json) as Record<keyof Progress, unknown>;
  const toObjects = (list: unknown): Record<string, unknown>[] =>
    Array.isArray(list) ? list.map((item) => ({ ...Object(item) })) : [];
  return {
    completed: Number.isInteger(completed) ? Number(completed) : 0,
    failures: toObjects(failures).map((item) => ({ ...item, path: String(item.path), message: String(item.message) })),
    active: toObjects(active).map((item) => ({ ...item, path: String(item.path) })),
  };
}

function formatProgress({ completed, failures, active }: Progress): string[] {
  return [
    `${completed} ${completed === 1 ? 'command' : 'commands'} ended, ${failures.length} failed`,
    ...failures.map(({ path, message }) => `  ${path}: ${message.split('\n')[0]}`),
    ...active.map(({ path }) => `  running: ${path}`),
  ];
}

function describeCrash(state: RunState): string {
  return state === 'crashed' ? ' (its process ended without a result. Run "recipewright logs" to see its output)' : '';
}

async function waitForEnd(stateDir: string): Promise<RunState> {
  for (;;) {
    const state = readRunState(stateDir) ?? 'crashed';
    if (isTerminal(state)) return state;
    await new Promise<void>((resume) => systemClock.after(100, resume));
  }
}

/** Returns the exit code. A run that has not ended yet counts as failed. */
function toExitCode(state: RunState, result: ResultFile | undefined): number {
  if (state === 'done') return exitCodes.pass;
  if (state === 'crashed') return exitCodes.harness;
  return result && result.exit_code !== 0 ? result.exit_code : exitCodes.failed;
}
