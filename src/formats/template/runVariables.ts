// The run variables that a template recipe can read: the id of the run, its state directory, and the file for its messages.
import { join } from 'node:path';

export const runVariableNames = ['run_id', 'state_dir', 'communication_file', 'actor_address', 'default_room'] as const;

export type RunVariable = (typeof runVariableNames)[number];

/** The commands write their messages here, one JSON object per line. */
export const outboxFileName = 'outbox.jsonl';

export function buildRunVariables({ run, stateDir }: { run: string; stateDir: string }): Record<RunVariable, string> {
  return {
    run_id: run,
    state_dir: stateDir,
    communication_file: join(stateDir, outboxFileName),
    actor_address: `run:${run}`,
    default_room: run,
  };
}

export function isRunVariable(name: string): name is RunVariable {
  return (runVariableNames as readonly string[]).includes(name);
}
