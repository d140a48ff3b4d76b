// The life of one run: opening line, graph, teardown, closing line. Whoever holds it must close it, whatever happened in between.

import { digestOf } from '../evidence/digest.js';
import { type CauseClass, RecipeError, toRecipeError } from '../evidence/failure.js';
import { type EndLine, readJournal } from '../evidence/journal.js';
import { judge, type Verdict } from '../evidence/verdict.js';
import type { Outcome } from '../graph/next.js';
import { worse } from '../graph/plan.js';
import { type Conducted, conduct } from './conduct.js';
import type { Job } from './job.js';
import type { RunValues } from './scope.js';
import { targetsOf } from './targets.js';
import { tool } from './tool.js';

/** Who ended the run: a signal to the process, or something said in words. */
export type Interruption = { signal: string } | { why: string };

export type Session = {
  /** The first line of the journal. */
  readonly opening: string;
  /** Runs setup, start state and graph; says what stands so far. */
  runGraph(): Promise<{ verdict: Verdict; failure?: RecipeError }>;
  /** Lets nothing more start and stops what is in flight. */
  interrupt(interruption: Interruption): void;
  /** Waits for what is in flight, tears down within a budget of its own, and writes the last line. */
  close(): Promise<{ line: string; verdict: Verdict }>;
};

/** Teardown gets this long after whatever happened before. */
const teardownMs = 30_000;

export function openSession(job: Job): Session {
  const { journal, clock, host, loaded } = job;
  const { recipe } = loaded.compiled;
  const started = clock.now();
  const values: RunValues = { inputs: job.inputs, saved: new Map() };
  const abort = new AbortController();
  let interruptedBy: string | undefined;
  let graph: Promise<Conducted> | undefined;
  const opening = journal.write({
    ...{
      t: 'run',
      path: '',
      visit: 1,
      attempt: job.attempt,
      tool,
      host: { name: host.name, version: host.version },
      inputs: { ...job.inputs },
    },
    recipe: { id: job.id, digest: digestOf(recipe.json), ...(recipe.title === undefined ? {} : { title: recipe.title }) },
    targets: targetsOf(loaded, job.registry),
  });
  const closing = (outcome: Conducted): Omit<EndLine, 'v' | 'seq' | 'at' | 'prev'> => ({
    ...{
      t: 'end',
      path: '',
      visit: 1,
      attempt: job.attempt,
      ms: Math.round(clock.now() - started),
      ok: outcome.status === 'pass',
    },
    status: outcome.status,
    ...(outcome.reason ? { error: { ...outcome.reason, cause_class: causeOf(outcome) } } : {}),
    ...(interruptedBy === undefined ? {} : { signal: interruptedBy }),
  });
  const judged = (last?: Conducted): Verdict => {
    const { lines } = readJournal(journal.lines);
    return judge(last ? [...lines, { v: 1, seq: lines.length, at: '', prev: '', ...closing(last) }] : lines).verdict;
  };
  return {
    opening,
    async runGraph() {
      graph = conduct(job, loaded.plan.main, values, abort.signal).catch(ownFault);
      const { failure, ...outcome } = await graph;
      return { verdict: judged(outcome), ...(failure ? { failure: innermost(failure) } : {}) };
    },
    interrupt(interruption) {
      if ('signal' in interruption) interruptedBy ??= interruption.signal;
      abort.abort('signal' in interruption ? interruption.signal : interruption.why);
    },
    async close() {
      const outcome: Conducted = graph === undefined ? { status: 'unknown', reason: notStarted } : await graph;
      const tornDown = graph === undefined ? undefined : await tearDown(job, values);
      const last = tornDown ? { ...outcome, status: worse(outcome.status, tornDown.status) } : outcome;
      const line = journal.write(closing(last));
      return { line, verdict: judged() };
    },
  };
}

const notStarted = { code: 'run.not_started', message: 'The run ended before its first node.' };

async function tearDown(job: Job, values: RunValues): Promise<Conducted | undefined> {
  const { teardown } = job.loaded.plan;
  if (!teardown) return undefined;
  const abort = new AbortController();
  const withdraw = job.clock.after(teardownMs, () => abort.abort());
  try {
    return await conduct(job, teardown, values, abort.signal).catch(ownFault);
  } finally {
    withdraw();
  }
}

// A node that failed because of what it ran points to the failure inside.
function innermost(failure: RecipeError): RecipeError {
  return failure.cause instanceof RecipeError ? innermost(failure.cause) : failure;
}

function causeOf({ fault, status }: Conducted): CauseClass {
  if (fault) return 'harness';
  return status === 'fail' ? 'subject' : 'unknown';
}

function ownFault(thrown: unknown): Conducted {
  const { code, message } = thrown instanceof RecipeError ? thrown : toRecipeError(thrown);
  return { status: 'unknown', reason: { code, message: `recipewright failed: ${message}` }, fault: true };
}
