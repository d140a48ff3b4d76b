// Which processes belong to a node or a run: each carries a tag in its environment, whatever became of its group and its parent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What we start gets this variable; its value is one word for each run around it, the innermost last. */
const tagVariable = 'RECIPEWRIGHT_RUN';

export type RunningProcess = { pid: number; parent: number; group: number; name: string; tags: readonly string[] };

/**
 * The environment that marks a process as started by the node of this tag, `<runId>/<path>`.
 * `outlives`: it is no part of the run of that tag, but still of the runs around that.
 */
export function tagEnv(tag: string, { outlives }: { outlives?: string | undefined } = {}): Record<string, string> {
  const outerTags = process.env[tagVariable] ? process.env[tagVariable].split(' ') : [];
  const until = outlives === undefined ? -1 : outerTags.indexOf(escapeTag(outlives));
  return { [tagVariable]: [...(until === -1 ? outerTags : outerTags.slice(0, until)), escapeTag(tag)].join(' ') };
}

export function carriesTag({ tags }: RunningProcess, tag: string): boolean {
  return tags.includes(escapeTag(tag));
}

export function belongsToRun({ tags }: RunningProcess, runId: string): boolean {
  return tags.some((tag) => tag.startsWith(escapeTag(`${runId}/`)));
}

export function runIdOfTag(tag: string): string {
  return tag.split('/', 1)[0] ?? tag;
}

/** Whether there is a /proc to ask; a container may come without. */
export function canSeeProcesses(): boolean {
  return existsSync('/proc/self/environ');
}

/** Every process that runs, except ourselves. */
export function listProcesses(): RunningProcess[] {
  if (!canSeeProcesses()) return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    return Number.isInteger(pid) && pid !== process.pid ? (readProcess(pid) ?? []) : [];
  });
}

// A zombie answers kill(pid, 0); its state tells that it is gone. Group 0 is the kernel's, or outside of our container.
function readProcess(pid: number): RunningProcess | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold parentheses itself.
  const [, name = '', state = 'X', parent, group] = /^\d+ \((.*)\) (\S) (\d+) (\d+)/s.exec(stat) ?? [];
  if (state === 'Z' || state === 'X' || group === '0') return undefined;
  return { pid, parent: Number(parent), group: Number(group), name, tags: parseTags(readProcFile(`/proc/${pid}/environ`)) };
}

function parseTags(environment: string): string[] {
  const at = `\0${environment}`.indexOf(`\0${tagVariable}=`);
  if (at === -1) return [];
  const [value = ''] = environment.slice(at + tagVariable.length + 1).split('\0', 1);
  return value.split(' ');
}

function readProcFile(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // ENOENT or ESRCH: it ended while we looked. EACCES: it is somebody else's.
    return '';
  }
}

function escapeTag(tag: string): string {
  return tag.replace(/[^\x21-\x7e]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

// The words a running program was started with, where the system tells.

/** Of the first program that has this word among them. */
export function findArguments(argument: string): string[] | undefined {
  for (const pid of listPids('/proc')) {
    const words = readCommandLine(`/proc/${pid}/cmdline`).split('\0');
    if (words.includes(argument)) return words;
  }
  return undefined;
}

function listPids(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => /^\d+$/.test(name));
  } catch {
    // ENOENT: only Linux has it.
    return [];
  }
}

function readCommandLine(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // ENOENT or ESRCH: it ended while we looked. EACCES: it is somebody else's.
    return '';
  }
}
