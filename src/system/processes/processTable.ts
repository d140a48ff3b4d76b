// Finds the processes of a node or a run by a tag in their environment, even if they have left their group and lost their parent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The variable with the tags of a process: one tag for each run around the process, the innermost last. */
const tagVariable = 'RECIPEWRIGHT_RUN';

export type RunningProcess = { pid: number; parent: number; group: number; name: string; tags: readonly string[] };

/**
 * Returns the variable that marks a process as started by the node with this tag, `<runId>/<path>`.
 * `outlives`: the tag of a run that the process does not belong to. The process still belongs to the runs around that run.
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

/** Whether processes can be listed. Some containers have no /proc. */
export function canSeeProcesses(): boolean {
  return existsSync('/proc/self/environ');
}

/** Lists every running process except this one. */
export function listProcesses(): RunningProcess[] {
  if (!canSeeProcesses()) return [];
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    return Number.isInteger(pid) && pid !== process.pid ? (readProcess(pid) ?? []) : [];
  });
}

// Checks the state, because kill(pid, 0) succeeds for a zombie. Group 0 belongs to the kernel, or is outside this container.
function readProcess(pid: number): RunningProcess | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  // The name is in parentheses, and may contain parentheses.
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
    // ENOENT, ESRCH: the process has just ended. EACCES: the process belongs to another user.
    return '';
  }
}

function escapeTag(tag: string): string {
  return tag.replace(/[^\x21-\x7e]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** Returns the arguments of the first running program that has `argument` among them. Linux only. */
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
    // ENOENT: only Linux has /proc.
    return [];
  }
}

function readCommandLine(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // ENOENT, ESRCH: the process has just ended. EACCES: the process belongs to another user.
    return '';
  }
}
