// A process that lives on when whoever started it is gone, and that is known again by its tag, not by its number alone.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { systemClock } from '../clock.js';
import { killTree, type ProcessTree } from './killTree.js';
import { canSeeProcesses, carriesTag, listProcesses, tagEnv } from './processTable.js';

export type DetachedRequest = {
  command: readonly [string, ...string[]];
  cwd: string;
  env: NodeJS.ProcessEnv;
  tag: string;
  /** The detached run that started it, which it may outlive. Any other run around it ends it with itself. */
  parentTag?: string | undefined;
  /** Files that take what it writes. */
  stdout: string;
  stderr: string;
};

/** `hasEnded` tells as long as we live that it is gone, and why. */
export type DetachedProcess = { endReason(): string | undefined };

export function startDetached({ command, cwd, env, tag, parentTag, stdout, stderr }: DetachedRequest): DetachedProcess {
  const [file, ...args] = command;
  const [out, err] = [openSync(stdout, 'a'), openSync(stderr, 'a')];
  let ended: string | undefined;
  try {
    const child = spawn(file, args, {
      ...{ cwd, env: { ...env, ...tagEnv(tag, { outlives: parentTag }) }, windowsHide: true },
      ...{ detached: true, stdio: ['ignore', out, err] },
    });
    child.once('error', (error) => {
      ended ??= error.message;
    });
    child.once('exit', (code, signal) => {
      ended ??= signal === null ? `it exited with ${code}` : `it was ended by ${signal}`;
    });
    child.unref();
  } finally {
    closeSync(out);
    closeSync(err);
  }
  return { endReason: () => ended };
}

/** A number may be another program's by now: the tag tells. */
export function isTreeRunning({ pid, tag }: ProcessTree): boolean {
  if (canSeeProcesses()) return listProcesses().some((one) => one.pid === pid && carriesTag(one, tag));
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: it is gone. EPERM: it is somebody else's.
    return false;
  }
}

/** Whether anything that it started runs. */
export function hasChildProcesses({ pid, tag }: ProcessTree): boolean {
  return listProcesses().some((one) => one.pid !== pid && carriesTag(one, tag));
}

/** Asks it to end in order and gives it time to; then ends it with everything that carries its tag. Gives what could not be killed. */
export async function endDetached(tree: ProcessTree, patienceMs: number): Promise<string[]> {
  if (isTreeRunning(tree)) {
    process.kill(tree.pid, 'SIGTERM');
    for (const until = systemClock.now() + patienceMs; isTreeRunning(tree) && systemClock.now() < until; )
      await new Promise<void>((resume) => systemClock.after(50, resume));
  }
  return isTreeRunning(tree) || hasChildProcesses(tree) ? killTree(tree, 1_000) : [];
}
