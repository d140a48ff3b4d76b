// Ends a process group when this process dies, even by SIGKILL, which this process cannot handle.
import { spawn } from 'node:child_process';
import type { ProcessTree } from './killTree.js';
import { tagEnv } from './processTable.js';

// The shell waits for a line from this process. If its stdin ends without a line, this process has died.
const script = 'read line || kill -s KILL -- "-$1"';

/** Returns a function that ends the watching shell. Does nothing on Windows, which has no process groups. */
export function endWithParent({ pid, tag }: ProcessTree): () => void {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    // In its own process group, so that a signal to our group does not end the shell.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: tagEnv(tag),
  });
  // The shell could not be started. The service then keeps running if this process is killed.
  shell.on('error', () => undefined);
  // EPIPE: the shell was ended together with the service.
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return () => void shell.stdin.end('\n');
}
