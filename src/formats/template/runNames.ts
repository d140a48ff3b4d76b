// What a template recipe may ask about its own run: its id, a directory of its own, and where its messages go.
import { join } from 'node:path';

export const runNames = ['run_id', 'state_dir', 'communication_file', 'actor_address', 'default_room'] as const;

export type RunName = (typeof runNames)[number];

/** Messages of the commands, one JSON object per line. */
export const outboxName = 'outbox.jsonl';

export function runValues({ run, stateDir }: { run: string; stateDir: string }): Record<RunName, string> {
  return {
    run_id: run,
    state_dir: stateDir,
    communication_file: join(stateDir, outboxName),
    actor_address: `run:${run}`,
    default_room: run,
  };
}

export function isRunName(name: string): name is RunName {
  return (runNames as readonly string[]).includes(name);
}
