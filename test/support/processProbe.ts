// Finds running processes, and waits for files that processes write.
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Returns the ids of the running processes whose command line contains the string. Zombies do not count. */
export function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const state = /\) (\w) \d+ \d+ /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
      return /^\d+$/.test(pid) && state !== 'Z' && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      // ENOENT or ESRCH: the process has ended meanwhile.
      return false;
    }
  });
}

/** Resolves when the file exists. */
export function appearance(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), (_, name) => {
      if (name === null || name === basename(file)) check();
    }).on('error', reject);
    check();
  });
}
