// A process that outlives the process that started it. Its tag identifies it, because a pid may be reused.
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
  /** The tag of the detached run that starts the process, which may outlive that run. Other runs around it end the process when they end. */
  parentTag?: string | undefined;
  /** The files for the output of the process. */
  stdout: string;
  stderr: string;
};

/** `endReason` returns why the process ended, or undefined while it runs. */
export type DetachedProcess = { endReason(): string | undefined };

export function startDetached({ command, cwd, env, tag, parentTag, stdout, stderr }: DetachedRequest): DetachedProcess {
  const [file, ...args] = command;
  const out = openSync(stdout, 'a');
  const err = openSync(stderr, 'a');
  let endReason: string | undefined;
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, ...tagEnv(tag, { outlives: parentTag }) },
      stdio: ['ignore', out, err],
      detached: true,
      windowsHide: true,
    });
    child.once('error', (error) => {
      endReason ??= error.message;
    });
    child.once('exit', (code, signal) => {
      endReason ??= signal === null ? `the process exited with code ${code}` : `${signal} ended the process`;
    });
    child.unref();
  } finally {
    closeSync(out);
    closeSync(err);
  }
  return { endReason: () => endReason };
}

/** Checks the tag too, because another program may have the same pid now. */
export function isTreeRunning({ pid, tag }: ProcessTree): boolean {
  if (canSeeProcesses()) return listProcesses().some((one) => one.pid === pid && carriesTag(one, tag));
  try {
    return process.kill(pid, 0);
  } catch {
    // ESRCH: the process has ended. EPERM: the process belongs to another user.
    return false;
  }
}

/** Whether processes that the first process of the tree started still run. */
export function hasChildProcesses({ pid, tag }: ProcessTree): boolean {
  return listProcesses().some((one) => one.pid !== pid && carriesTag(one, tag));
}

/** Sends SIGTERM, waits, and then kills every process with the tag. Returns the names of processes that could not be killed. */
export async function endDetached(tree: ProcessTree, graceMs: number): Promise<string[]> {
  if (isTreeRunning(tree)) {
    process.kill(tree.pid, 'SIGTERM');
    for (const until = systemClock.now() + graceMs; isTreeRunning(tree) && systemClock.now() < until; )
      await new Promise<void>((resume) => systemClock.after(50, resume));
  }
  return isTreeRunning(tree) || hasChildProcesses(tree) ? killTree(tree, 1_000) : [];
}
