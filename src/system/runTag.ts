// Which processes belong to a node or a run: each carries a tag in its environment, whatever became of its group and its parent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What we start gets this variable; its value is one word for each run around it, the innermost last. */
const variable = 'RECIPEWRIGHT_RUN';

export type Living = { pid: number; parent: number; group: number; name: string; tags: readonly string[] };

/**
 * The environment that marks a process as started by the node of this tag, `<runId>/<path>`.
 * `outlives`: it is no part of the run of that tag, but still of the runs around that.
 */
export function tagEnv(tag: string, { outlives }: { outlives?: string | undefined } = {}): Record<string, string> {
  const around = process.env[variable] ? process.env[variable].split(' ') : [];
  const until = outlives === undefined ? -1 : around.indexOf(asWord(outlives));
  return { [variable]: [...(until === -1 ? around : around.slice(0, until)), asWord(tag)].join(' ') };
}

export function carriesTag({ tags }: Living, tag: string): boolean {
  return tags.includes(asWord(tag));
}

export function belongsToRun({ tags }: Living, runId: string): boolean {
  return tags.some((tag) => tag.startsWith(asWord(`${runId}/`)));
}

export function runOf(tag: string): string {
  return tag.split('/', 1)[0] ?? tag;
}

/** Whether there is a /proc to ask; a container may come without. */
export function canSeeProcesses(): boolean {
  return existsSync('/proc/self/environ');
}

/** Every process that runs, except ourselves. */
export function livingProcesses(): Living[] {
  if (!canSeeProcesses()) return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    return Number.isInteger(pid) && pid !== process.pid ? (readProcess(pid) ?? []) : [];
  });
}

// A zombie answers kill(pid, 0); its state tells that it is gone. Group 0 is the kernel's, or outside of our container.
function readProcess(pid: number): Living | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold parentheses itself.
  const [, name = '', state = 'X', parent, group] = /^\d+ \((.*)\) (\S) (\d+) (\d+)/s.exec(stat) ?? [];
  if (state === 'Z' || state === 'X' || group === '0') return undefined;
  return { pid, parent: Number(parent), group: Number(group), name, tags: tagsIn(readIfThere(`/proc/${pid}/environ`)) };
}

function tagsIn(environment: string): string[] {
  const at = `\0${environment}`.indexOf(`\0${variable}=`);
  if (at === -1) return [];
  const [value = ''] = environment.slice(at + variable.length + 1).split('\0', 1);
  return value.split(' ');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // ENOENT or ESRCH: it ended while we looked. EACCES: it is somebody else's.
    return '';
  }
}

function asWord(tag: string): string {
  return tag.replace(/[^\x21-\x7e]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
