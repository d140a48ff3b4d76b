// The life of one run: opening line, graph, teardown, closing line. Whoever opens it must close it, whatever happened in between.
import { RunServices } from '../actions/service/runServices.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { deepFreeze } from '../engine/deepFreeze.js';
import { worseStatus } from '../engine/plan.js';
import { digestOf } from '../evidence/digest.js';
import type { CauseClass } from '../evidence/exitCodes.js';
import type { EndLine, FailOnUnexpected, RunLine } from '../evidence/journal.js';
import { RecipeError, toRecipeError } from '../evidence/recipeError.js';
import { tool } from '../evidence/runIdentity.js';
import type { Verdict } from '../evidence/verdict.js';
import { readHeadCommit } from '../system/git/gitRepository.js';
import type { GitTree } from '../system/git/gitTree.js';
import { sweepRun } from '../system/processes/killTree.js';
import { endServices } from './endServices.js';
import type { Job } from './job.js';
import { type RunValues, Scope } from './node/scope.js';
import { proofTargetsOf } from './recipeNeeds.js';
import { type RegionOutcome, runRegion } from './scheduler.js';
import { openTemplateRunDir, type TemplateRunDir } from './templateRunDir.js';
import { WatchedFiles } from './watchedFiles.js';

/** Who ended the run: a signal to the process, or something said in words. `hurries`: somebody waits for its end. */
export type Interruption = { signal: string } | { why: string; hurries?: boolean };

export class Session {
  /** The first line of the journal. */
  readonly opening: string;
  private readonly started: number;
  private readonly values: RunValues;
  private readonly templateDir: TemplateRunDir;
  private readonly abort = new AbortController();
  private graph: Promise<RegionOutcome> | undefined;
  private signal: string | undefined;
  private hurriedAt: number | undefined;
  private unhandledError: RecipeError | undefined;
  private teardownAbort: AbortController | undefined;

  constructor(private readonly job: Job) {
    const { journal, host, loaded, id } = job;
    this.templateDir = openTemplateRunDir(job);
    const { inputs } = this.templateDir;
    const { title, json } = loaded.compiled.recipe;
    const { tree } = job;
    const commit = tree ? tree.commit : readHeadCommit(job.projectRoot);
    this.started = job.clock.now();
    const masked = [...job.secrets.values.keys()].map((name) => [name, { value: '[secret]', origin: 'secret-ref' }] as const);
    const given = deepFreeze(
      Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, structuredClone(value)])),
    );
    this.values = {
      root: new Scope({ inputs: given, saved: new Map(), operators: job.operators, secrets: job.secrets.values }),
      ...{ artifactPaths: new Set<string>(), watchedFiles: new WatchedFiles(job), services: new RunServices(), hasBegun: false },
    };
    this.opening = journal.write({
      ...{ t: 'run', path: '', visit: 1, attempt: job.attempt, run: job.runId, tool },
      inputs: { ...inputs, ...Object.fromEntries(masked) },
      host: { name: host.name, version: host.version },
      recipe: { id, digest: digestOf(json), ...(title === undefined ? {} : { title }) },
      targets: proofTargetsOf(loaded, job.registry),
      ...omitUndefined({
        git_ref: commit,
        ...treeFields(tree),
        runner: job.runner && { ...job.runner, git_ref: job.runner.git_ref ?? commit ?? 'unknown' },
        fail_on_unexpected: failOnUnexpectedOf(json),
        allow_blocked: job.allowBlocked || undefined,
        judged_as: loaded.compiled.hasReferenceVerdict ? (job.compat ? ('compat' as const) : ('honest' as const)) : undefined,
      }),
    });
  }

  /** Runs setup, start state and graph; says what stands so far. */
  async runGraph(): Promise<{ verdict: Verdict; failure?: RecipeError }> {
    this.graph = runRegion(this.job, this.job.loaded.plan.main, this.values, this.abort.signal).catch(internalFault);
    const outcome = await this.graph;
    const verdict = this.job.journal.currentVerdict(this.closing(outcome));
    return outcome.failure ? { verdict, failure: innermostCause(outcome.failure) } : { verdict };
  }

  /** Lets nothing more start and stops what is in flight. */
  interrupt(interruption: Interruption): void {
    if ('signal' in interruption) this.signal ??= interruption.signal;
    if ('signal' in interruption || interruption.hurries) this.hurriedAt ??= this.job.clock.now();
    this.abort.abort('signal' in interruption ? interruption.signal : interruption.why);
    if (this.teardownAbort) this.endTeardownAfter(this.teardownMs(), this.teardownAbort);
  }

  /** An error came that nobody waited for: nothing after it is what it seems, so nothing more starts. */
  reportUnhandledError(thrown: unknown): void {
    const { message } = toRecipeError(thrown);
    const told = this.job.secrets.vault.mask(message);
    const lost = `An error came that nobody waited for: ${told}. Await every promise that an action starts.`;
    this.unhandledError ??= new RecipeError('action.lost_error', 'harness', lost);
    this.abort.abort(this.unhandledError);
  }

  /** Waits for what is in flight, tears down within a budget of its own, and writes the last line. */
  async close(): Promise<{ line: string; verdict: Verdict }> {
    const outcome: RegionOutcome = this.graph === undefined ? notStarted : await this.graph;
    const tornDown = this.graph === undefined ? undefined : await this.tearDown();
    const services = await endServices(this.job, this.values, { hurries: this.hurriedAt !== undefined });
    await sweepRun(this.job.runId);
    if (this.hurriedAt === undefined) await this.job.waitForLeftovers?.();
    this.templateDir.remove();
    const torn = tornDown ? { ...outcome, status: worseStatus(outcome.status, tornDown.status) } : outcome;
    const ended = services.problem ? unhandledOutcome(torn, services.problem) : torn;
    const last = this.unhandledError ? unhandledOutcome(ended, this.unhandledError) : ended;
    const { vault } = this.job.secrets;
    const removed = vault.names.length > 0 ? (this.job.host.removeLeaks?.(vault) ?? []) : [];
    const changed = this.job.treeChanges?.() ?? [];
    const line = this.job.journal.write({
      ...(removed.length > 0 ? { ...this.closing(leakOutcome(removed)), removed } : this.closing(last)),
      ...(services.artifacts.length > 0 ? { artifacts: services.artifacts } : {}),
      ...(changed.length > 0 ? { git_changes_in_run: changed } : {}),
    });
    return { line, verdict: this.job.journal.currentVerdict() };
  }

  private async tearDown(): Promise<RegionOutcome | undefined> {
    const { teardown } = this.job.loaded.plan;
    const teardownMs = this.teardownMs();
    // What a closed gate kept from beginning has left nothing behind.
    if (!teardown || !this.values.hasBegun) return undefined;
    const abort = new AbortController();
    this.teardownAbort = abort;
    const withdraw = this.endTeardownAfter(teardownMs, abort);
    try {
      return await runRegion(this.job, teardown, this.values, abort.signal).catch(internalFault);
    } finally {
      withdraw();
    }
  }

  private endTeardownAfter(ms: number, abort: AbortController): () => void {
    return this.job.clock.after(ms, () => abort.abort(`teardown took more than ${Math.round(ms)} ms`));
  }

  // Whoever sent a signal waits three seconds: what was in flight had one, teardown has what is left of the second.
  private teardownMs(): number {
    if (this.hurriedAt === undefined) return this.job.teardownMs;
    return Math.min(this.job.teardownMs, Math.max(300, this.hurriedAt + 1_700 - this.job.clock.now()));
  }

  private closing(outcome: RegionOutcome): Omit<EndLine, 'v' | 'seq' | 'at' | 'prev'> {
    const { status, reason } = outcome;
    const ms = Math.round(this.job.clock.now() - this.started);
    return {
      ...{ t: 'end', path: '', visit: 1, attempt: this.job.attempt, ms, ok: status === 'pass', status },
      ...(reason ? { error: { ...reason, cause_class: causeClassOf(outcome) } } : {}),
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    };
  }
}

function treeFields(tree: GitTree | undefined): Pick<RunLine, 'git_dirty' | 'git_changes' | 'tree_digest'> {
  if (!tree?.state) return {};
  const { isDirty, digest, changes, changeCount } = tree.state;
  const more = changeCount > changes.length ? [`and ${changeCount - changes.length} more`] : [];
  return { git_dirty: isDirty, ...(isDirty ? { git_changes: [...changes, ...more] } : {}), tree_digest: digest };
}

/** What the recipe wants done with what nobody expected (spec §17), as it is written. */
function failOnUnexpectedOf(json: unknown): FailOnUnexpected | undefined {
  return (json as { fail_on_unexpected?: FailOnUnexpected }).fail_on_unexpected;
}

function leakOutcome(paths: readonly string[]): RegionOutcome {
  const message = `What was kept held a secret, or could not be searched for one, and was taken out: ${paths.join(', ')}.`;
  return { status: 'fail', reason: { code: 'secrets.leaked', message } };
}

const notStarted: RegionOutcome = {
  status: 'unknown',
  reason: { code: 'run.not_started', message: 'The run ended before its first node.' },
};

// A node that failed because of what it ran says the same as the failure inside; another cause is one that it tells better itself.
function innermostCause(failure: RecipeError): RecipeError {
  const { cause, code, message } = failure;
  return cause instanceof RecipeError && cause.code === code && cause.message === message ? innermostCause(cause) : failure;
}

function causeClassOf({ fault, status }: RegionOutcome): CauseClass {
  if (fault) return 'harness';
  return status === 'fail' ? 'subject' : 'unknown';
}

function unhandledOutcome({ status }: RegionOutcome, { code, message }: RecipeError): RegionOutcome {
  return { status: worseStatus(status, 'unknown'), reason: { code, message }, fault: true };
}

function internalFault(thrown: unknown): RegionOutcome {
  const { code, message } = toRecipeError(thrown);
  return { status: 'unknown', reason: { code, message: `recipewright failed: ${message}` }, fault: true };
}
