// A process that outlives the one that started it. Others identify it by its tag, because a pid may be reused.
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
  /** The tag of the detached run that starts it, which it may outlive. Other runs around it end it when they end. */
  parentTag?: string | undefined;
  /** The files for its output. */
  stdout: string;
  stderr: string;
};

/** `endReason` says why it ended, or is undefined while it runs. */
export type DetachedProcess = { endReason(): string | undefined };

export function startDetached({ command, cwd, env, tag, parentTag, stdout, stderr }: DetachedRequest): DetachedProcess {
  const [file, ...args] = command;
  const out = openSync(stdout, 'a');
  const err = openSync(stderr, 'a');
  let ended: string | undefined;
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, ...tagEnv(tag, { outlives: parentTag }) },
      stdio: ['ignore', out, err],
      detached: true,
      windowsHide: true,
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

/** Checks the tag, because another program may have the pid by now. */
export function isTreeRunning({ pid, tag }: ProcessTree): boolean {
  if (canSeeProcesses()) return listProcesses().some((one) => one.pid === pid && carriesTag(one, tag));
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: it has ended. EPERM: it belongs to another user.
    return false;
  }
}

/** Whether a process that it started is still running. */
export function hasChildProcesses({ pid, tag }: ProcessTree): boolean {
  return listProcesses().some((one) => one.pid !== pid && carriesTag(one, tag));
}

/** Sends SIGTERM and waits; then kills everything that carries its tag. Returns what could not be killed. */
export async function endDetached(tree: ProcessTree, patienceMs: number): Promise<string[]> {
  if (isTreeRunning(tree)) {
    process.kill(tree.pid, 'SIGTERM');
    for (const until = systemClock.now() + patienceMs; isTreeRunning(tree) && systemClock.now() < until; )
      await new Promise<void>((resume) => systemClock.after(50, resume));
  }
  return isTreeRunning(tree) || hasChildProcesses(tree) ? killTree(tree, 1_000) : [];
}
