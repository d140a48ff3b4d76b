// Asks git about a repository and its commits.
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Returns the nearest parent directory that contains a repository. Does not start git, because each recipe needs this. */
export function findGitTop(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (existsSync(join(dir, '.git'))) return realpathSync(dir);
    if (dir === dirname(dir)) return undefined;
  }
}

/** Returns undefined outside a repository, before the first commit, and when git cannot run. */
export function readHeadCommit(from: string): string | undefined {
  const top = findGitTop(from);
  if (top === undefined) return undefined;
  // A container often runs as a user that does not own the repository. Trusting it is safe, because this command runs none of its code.
  return parseCommit(runGit(top, ['-c', `safe.directory=${top}`, ...revParse('HEAD')]));
}

/** Returns the commit of a name in the repository that contains `from`, or undefined when git does not know the name. */
export function resolveCommit(from: string, name: string): string | undefined {
  return parseCommit(runGit(from, revParse(name)));
}

function revParse(name: string): string[] {
  return ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
}

function parseCommit(output: string | undefined): string | undefined {
  return /^([0-9a-f]{40,64})\n$/.exec(output ?? '')?.[1];
}

/** Git sets these variables for its hooks. They could select another repository than the one that contains `cwd`. */
const hookVariables = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX'];

/** With other values, git may report a changed file as unchanged without reading it. */
const strictSettings = ['core.fsmonitor=false', 'core.ignoreStat=false', 'core.trustctime=true', 'core.checkStat=default'];

const timeoutMs = 20_000;
const maxOutputBytes = 512_000_000;

/** `index`: a file to use as the index. */
type GitOptions = { index?: string | undefined; input?: string };

/** Returns the output of git, or undefined when git fails or is not installed. */
export function runGit(cwd: string, args: readonly string[], { index, input }: GitOptions = {}): string | undefined {
  const settings = strictSettings.flatMap((setting) => ['-c', setting]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !hookVariables.includes(name)));
  // Takes no lock of the index, so that a commit can run at the same time.
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
