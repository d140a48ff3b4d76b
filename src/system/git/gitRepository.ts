// Asks git about a repository and its commits.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The nearest directory above that holds a repository. Found without git: it is needed for each recipe. */
export function findGitTop(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return realpathSync(dir);
    if (dir === dirname(dir)) return undefined;
  }
}

/** Undefined outside a repository, before the first commit, and where git cannot be asked. */
export function readHeadCommit(from: string): string | undefined {
  const top = findGitTop(from);
  if (top === undefined) return undefined;
  // A container often runs as another user than the owner of the repository. Naming its commit runs nothing of it.
  return parseCommit(runGit(top, ['-c', `safe.directory=${top}`, ...revParse('HEAD')]));
}

/** The commit that a name stands for in the repository around `from`; undefined when git does not know it. */
export function resolveCommit(from: string, name: string): string | undefined {
  return parseCommit(runGit(from, revParse(name)));
}

function revParse(name: string): string[] {
  return ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
}

function parseCommit(output: string | undefined): string | undefined {
  return /^([0-9a-f]{40,64})\n$/.exec(output ?? '')?.[1];
}

/** Git sets these for its hooks. They would name another repository than the one around `cwd`. */
const hookVariables = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX'];

/** With the usual values of these, git may take a changed file for an unchanged one without reading it. */
const strictSettings = ['core.fsmonitor=false', 'core.ignoreStat=false', 'core.trustctime=true', 'core.checkStat=default'];

const timeoutMs = 20_000;
const maxOutputBytes = 512_000_000;

/** `index`: a file to use as the index. */
type GitOptions = { index?: string | undefined; input?: string };

/** What git prints; undefined when it fails or is not installed. */
export function runGit(cwd: string, args: readonly string[], { index, input }: GitOptions = {}): string | undefined {
  const settings = strictSettings.flatMap((setting) => ['-c', setting]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !hookVariables.includes(name)));
  // The lock of the index stays free for a commit that is made at the same time.
  const { status, stdout, error } = spawnSync('git', ['--no-optional-locks', ...settings, ...args], {
    cwd,
    env: index === undefined ? env : { ...env, GIT_INDEX_FILE: index },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
    ...(input === undefined ? {} : { input }),
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: maxOutputBytes,
    windowsHide: true,
  });
  return error || status !== 0 ? undefined : stdout;
}
