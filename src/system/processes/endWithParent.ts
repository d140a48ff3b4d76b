// Ends a process group when this process dies, even by SIGKILL, which no code of ours sees.
import { spawn } from 'node:child_process';
import type { ProcessTree } from './killTree.js';
import { tagEnv } from './processTable.js';

// The shell waits for a line of ours. The end of its stdin without one is our death.
const script = 'read line || kill -s KILL -- "-$1"';

/** Returns the function that ends the watch. Does nothing on Windows, which has no process groups. */
export function endWithParent({ pid, tag }: ProcessTree): () => void {
  if (process.platform === 'win32') return () => undefined;
  const watch = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    // A group of its own: a signal to ours must not end it before us.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: tagEnv(tag),
  });
  // No shell: the service then outlives a process that is killed.
  watch.on('error', () => undefined);
  // EPIPE: it was ended together with the service.
  watch.stdin.on('error', () => undefined);
  watch.unref();
  (watch.stdin as unknown as { unref(): void }).unref();
  return () => void watch.stdin.end('\n');
}
