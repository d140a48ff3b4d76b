// Where a run left what nobody may read: every file of its project, zip archives opened, and its output.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, Run } from './project.js';
import { unzip } from './zip.js';

/** Each place, by the telltale that it holds. */
export function leaksOf(
  telltales: readonly string[],
  inner: Pick<Project, 'dir'>,
  run: Pick<Run, 'stdout' | 'stderr'>,
): string[] {
  const found: string[] = [];
  const look = (name: string, bytes: Buffer): void => {
    for (const piece of telltales) if (bytes.includes(piece)) found.push(`${name}: ${piece}`);
    if (bytes.subarray(0, 2).toString() === 'PK') for (const [entry, content] of unzip(bytes)) look(`${name}!${entry}`, content);
    const [, packed] = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(bytes.toString('latin1')) ?? [];
    if (packed !== undefined) look(`${name}!report`, Buffer.from(packed, 'base64'));
  };
  for (const entry of readdirSync(inner.dir, { recursive: true }) as string[]) {
    const file = join(inner.dir, entry);
    look(entry, Buffer.from(entry));
    if (!/^node_modules[\\/](?!\.cache)/.test(entry) && statSync(file).isFile()) look(entry, readFileSync(file));
  }
  look('stdout', Buffer.from(run.stdout));
  look('stderr', Buffer.from(run.stderr));
  return found;
}
