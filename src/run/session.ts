// Runs a recipe: writes the first journal line, runs the graph and the teardown, ends the services, and writes the last line. Always call
// `close()`, even after an error.
import { RunServices } from '../actions/service/runServices.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { deepFreeze } from '../engine/deepFreeze.js';
import { worseStatus } from '../engine/plan.js';
import { digestOf } from '../evidence/digest.js';
import type { CauseClass } from '../evidence/failureTable.js';
import type { EndLine, FailOnUnexpected, RunLine } from '../evidence/journal.js';
import { RecipeError, toRecipeError } from '../evidence/recipeError.js';
import { toolInfo } from '../evidence/runIdentity.js';
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

/** Why the run was interrupted: a signal to the process, or a reason in words. `isUrgent`: the run must end within about two seconds. */
export type Interruption = { signal: string } | { why: string; isUrgent?: boolean };

export class Session {
  /** The first line of the journal. */
  readonly opening: string;
  private readonly started: number;
  private readonly values: RunValues;
  private readonly templateDir: TemplateRunDir;
  private readonly graphAbort = new AbortController();
  private graph: Promise<RegionOutcome> | undefined;
  private signal: string | undefined;
  private urgentSince: number | undefined;
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
    const maskedSecrets = [...job.secrets.values.keys()].map(
      (name) => [name, { value: '[secret]', origin: 'secret-ref' }] as const,
    );
    const inputValues = deepFreeze(
      Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, structuredClone(value)])),
    );
    this.values = {
      root: new Scope({ inputs: inputValues, saved: new Map(), operators: job.operators, secrets: job.secrets.values }),
      ...{ artifactPaths: new Set<string>(), watchedFiles: new WatchedFiles(job), services: new RunServices(), hasBegun: false },
    };
    this.opening = journal.write({
      ...{ t: 'run', path: '', visit: 1, attempt: job.attempt, run: job.runId, tool: toolInfo },
      inputs: { ...inputs, ...Object.fromEntries(maskedSecrets) },
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

  /** Runs setup, start state and graph, and returns the verdict before teardown. */
  async runGraph(): Promise<{ verdict: Verdict; failure?: RecipeError }> {
    this.graph = runRegion(this.job, this.job.loaded.plan.main, this.values, this.graphAbort.signal).catch(toInternalFault);
    const outcome = await this.graph;
    const verdict = this.job.journal.currentVerdict(this.buildEndLine(outcome));
    return outcome.failure ? { verdict, failure: innermostCause(outcome.failure) } : { verdict };
  }

  /** Stops all running nodes, and starts no further ones. */
  interrupt(interruption: Interruption): void {
    if ('signal' in interruption) this.signal ??= interruption.signal;
    if ('signal' in interruption || interruption.isUrgent) this.urgentSince ??= this.job.clock.now();
    this.graphAbort.abort('signal' in interruption ? interruption.signal : interruption.why);
    if (this.teardownAbort) this.endTeardownAfter(this.teardownMs(), this.teardownAbort);
  }

  /** Ends the run after an error that no action awaited, because later results cannot be trusted. */
  reportUnhandledError(thrown: unknown): void {
    const { message } = toRecipeError(thrown);
    const masked = this.job.secrets.vault.mask(message);
    const explanation = `Unhandled error in an action: ${masked}. Await every promise that the action starts.`;
    this.unhandledError ??= new RecipeError('action.lost_error', 'harness', explanation);
    this.graphAbort.abort(this.unhandledError);
  }

  /** Waits for running nodes, runs teardown within its time limit, and writes the last line. */
  async close(): Promise<{ line: string; verdict: Verdict }> {
    const outcome: RegionOutcome = this.graph === undefined ? notStarted : await this.graph;
    const teardownOutcome = this.graph === undefined ? undefined : await this.tearDown();
    const services = await endServices(this.job, this.values, { isUrgent: this.urgentSince !== undefined });
    await sweepRun(this.job.runId);
    if (this.urgentSince === undefined) await this.job.waitForLeftovers?.();
    this.templateDir.remove();
    const withTeardown = teardownOutcome ? { ...outcome, status: worseStatus(outcome.status, teardownOutcome.status) } : outcome;
    const withServices = services.problem ? unhandledOutcome(withTeardown, services.problem) : withTeardown;
    const finalOutcome = this.unhandledError ? unhandledOutcome(withServices, this.unhandledError) : withServices;
    const { vault } = this.job.secrets;
    const removed = vault.names.length > 0 ? (this.job.host.removeLeaks?.(vault) ?? []) : [];
    const treeChanges = this.job.listTreeChanges?.() ?? [];
    const line = this.job.journal.write({
      ...(removed.length > 0 ? { ...this.buildEndLine(leakOutcome(removed)), removed } : this.buildEndLine(finalOutcome)),
      ...(services.artifacts.length > 0 ? { artifacts: services.artifacts } : {}),
      ...(treeChanges.length > 0 ? { git_changes_in_run: treeChanges } : {}),
    });
    return { line, verdict: this.job.journal.currentVerdict() };
  }

  private async tearDown(): Promise<RegionOutcome | undefined> {
    const { teardown } = this.job.loaded.plan;
    const teardownMs = this.teardownMs();
    // When a precondition failed before the first node, there is nothing to clean up.
    if (!teardown || !this.values.hasBegun) return undefined;
    const abort = new AbortController();
    this.teardownAbort = abort;
    const cancelTimer = this.endTeardownAfter(teardownMs, abort);
    try {
      return await runRegion(this.job, teardown, this.values, abort.signal).catch(toInternalFault);
    } finally {
      cancelTimer();
    }
  }

  private endTeardownAfter(ms: number, abort: AbortController): () => void {
    return this.job.clock.after(ms, () => abort.abort(`teardown took more than ${Math.round(ms)} ms`));
  }

  // The sender of a signal may kill the process after three seconds. Stopping the running nodes takes up to one second, and teardown gets
  // the rest of the second one.
  private teardownMs(): number {
    if (this.urgentSince === undefined) return this.job.teardownMs;
    return Math.min(this.job.teardownMs, Math.max(300, this.urgentSince + 1_700 - this.job.clock.now()));
  }

  private buildEndLine(outcome: RegionOutcome): Omit<EndLine, 'v' | 'seq' | 'at' | 'prev'> {
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

/** The `fail_on_unexpected` field of the recipe, unchanged: which unexpected log messages fail the run (spec §17). */
function failOnUnexpectedOf(json: unknown): FailOnUnexpected | undefined {
  return (json as { fail_on_unexpected?: FailOnUnexpected }).fail_on_unexpected;
}

function leakOutcome(paths: readonly string[]): RegionOutcome {
  const message = `These files were removed from the evidence, because they contained a secret or could not be searched for one: ${paths.join(', ')}.`;
  return { status: 'fail', reason: { code: 'secrets.leaked', message } };
}

const notStarted: RegionOutcome = {
  status: 'unknown',
  reason: { code: 'run.not_started', message: 'The run ended before its first node.' },
};

// A parent that failed because of a child has the code and message of the child. Follows such causes to the first failure.
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

function toInternalFault(thrown: unknown): RegionOutcome {
  const { code, message } = toRecipeError(thrown);
  return { status: 'unknown', reason: { code, message: `recipewright failed: ${message}` }, fault: true };
}
