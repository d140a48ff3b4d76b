// Creates a git repository in an existing directory.
import { execFileSync } from 'node:child_process';

export type Repository = { git(...args: string[]): string; commit(message: string): string };

/** Creates the repository and commits all files of the directory. */
export function gitRepository(dir: string): Repository {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...args], {
      ...{ cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    }).trim();
  const commit = (message: string): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', 'main');
  commit('first');
  return { git, commit };
}
