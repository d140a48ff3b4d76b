// Searches the files of a project, the content of zip archives, and the output of a run for leaked secrets.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, Run } from './project.js';
import { unzip } from './zip.js';

/** Returns each place that contains one of the strings. */
export function leaksOf(
  telltales: readonly string[],
  inner: Pick<Project, 'dir'>,
  run: Pick<Run, 'stdout' | 'stderr'>,
): string[] {
  const leaks: string[] = [];
  const search = (name: string, bytes: Buffer): void => {
    for (const piece of telltales) if (bytes.includes(piece)) leaks.push(`${name}: ${piece}`);
    if (bytes.subarray(0, 2).toString() === 'PK')
      for (const [entry, content] of unzip(bytes)) search(`${name}!${entry}`, content);
    const [, packed] = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(bytes.toString('latin1')) ?? [];
    if (packed !== undefined) search(`${name}!report`, Buffer.from(packed, 'base64'));
  };
  for (const entry of readdirSync(inner.dir, { recursive: true }) as string[]) {
    const file = join(inner.dir, entry);
    search(entry, Buffer.from(entry));
    if (!/^node_modules[\\/](?!\.cache)/.test(entry) && statSync(file).isFile()) search(entry, readFileSync(file));
  }
  search('stdout', Buffer.from(run.stdout));
  search('stderr', Buffer.from(run.stderr));
  return leaks;
}
