// The processes of documents: as many as Vitest runs at a time, not one for each (decisions/022). All else runs as Vitest has it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PoolRunnerInitializer, TestProject, Vitest } from 'vitest/node';
import { DocumentWorker } from './documentWorker.js';
import { type ForkClass, type ForkOptions, SharedFork } from './sharedFork.js';

const poolName = 'recipewright';
/** Then nobody wants it any more: the run is over, or other tests run. */
const idleMs = 2_000;

export class SharedForks {
  private readonly idle = new Map<SharedFork, NodeJS.Timeout>();

  constructor(private readonly Fork: ForkClass) {}

  /** Vitest makes one environment for each run of each project: what was loaded in an earlier run may be stale. */
  take({ env, execArgv, poolId, isOwn }: ForkOptions): SharedFork | undefined {
    if (isOwn) return undefined;
    for (const [fork, limit] of this.idle) {
      const { options, isReusable } = fork;
      if (!isReusable || options.env !== env || options.execArgv !== execArgv || options.poolId !== poolId) continue;
      clearTimeout(limit);
      this.idle.delete(fork);
      return fork;
    }
    return undefined;
  }

  make(options: ForkOptions): SharedFork {
    return new SharedFork(this.Fork, options);
  }

  keep(fork: SharedFork): void {
    fork.leave();
    this.idle.set(fork, setTimeout(() => void this.end(fork), idleMs).unref());
  }

  private async end(fork: SharedFork): Promise<void> {
    clearTimeout(this.idle.get(fork));
    this.idle.delete(fork);
    await fork.end();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.idle.keys()].map((fork) => this.end(fork)));
  }
}

export type Sharing = { vitest: Vitest; project: TestProject };

/** Only where documents would run in Vitest's own processes, each in one of its own. */
export async function shareForks({ vitest, project }: Sharing, isDocument: (file: string) => boolean): Promise<void> {
  const { pool, isolate, browser, root } = project.config;
  if (pool !== 'forks' || !isolate || browser.enabled) return;
  const Fork = await forkClassOf(vitest, root);
  if (!Fork) return;
  const forks = new SharedForks(Fork);
  const runner: PoolRunnerInitializer = { name: poolName, createPoolWorker: (options) => new DocumentWorker(options, forks) };
  Object.assign(project.config, { poolRunner: runner });
  const create = project.createSpecification.bind(project);
  project.createSpecification = (file, where, given) => create(file, where, given ?? (isDocument(file) ? poolName : undefined));
  vitest.onClose(() => forks.endAll());
}

/** That of the Vitest that runs; without it, all stays as it is. */
async function forkClassOf({ version }: Vitest, root: string): Promise<ForkClass | undefined> {
  try {
    const file = createRequire(join(root, 'package.json')).resolve('vitest/node');
    const found = (await import(pathToFileURL(file).href)) as { version?: string; ForksPoolWorker?: ForkClass };
    return found.version === version ? found.ForksPoolWorker : undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return undefined;
    throw thrown;
  }
}
