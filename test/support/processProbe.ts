// Looks at processes from outside: which ones still run, and when one has got somewhere.
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** The processes with this text in their command line that still run; a zombie does not. */
export function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const state = /\) (\w) \d+ \d+ /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
      return /^\d+$/.test(pid) && state !== 'Z' && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      // ENOENT or ESRCH: it ended while we looked.
      return false;
    }
  });
}

/** Settles when the file is there. */
export function appearance(file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), (_, name) => {
      if (name === null || name === basename(file)) look();
    }).on('error', reject);
    look();
  });
}
