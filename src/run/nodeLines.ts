// The two journal lines of a node: what is known before it begins, and what came of it.
import { needsOf } from '../actions/action.js';
import { phaseOf, recordOf } from '../actions/phase.js';
import type { ObservedNode } from '../browser/nodeObserver.js';
import { omitUndefined } from '../document/omitUndefined.js';
import { oneLine } from '../document/printFinding.js';
import { nextTarget } from '../engine/regions/walk.js';
import type { SettledEvent } from '../engine/state.js';
import { failureTable } from '../evidence/exitCodes.js';
import type { UnexpectedLog } from '../evidence/issues.js';
import type { Artifact, Assert, JournalEntry } from '../evidence/journal.js';
import type { RecipeError } from '../evidence/recipeError.js';
import type { Conductor, Flight } from './conduct.js';
import type { StepInfo } from './host.js';
import type { Job } from './job.js';

/** What was decided before a node began. */
export type Opening = { skip?: string | undefined; items?: number | undefined; refused?: boolean; fallible?: boolean };

/** How a node ended. */
export type Ending = {
  skipped?: true;
  failure?: RecipeError;
  /** The failure is neither tried again nor tolerated. */
  final?: true;
  output?: unknown;
  asserts?: readonly Assert[];
  artifacts?: readonly Artifact[];
  issues?: readonly UnexpectedLog[];
  case?: string;
  fired?: readonly number[];
};

export function writeBegin({ job }: Conductor, flight: Flight, opening: Opening): StepInfo & ObservedNode {
  const { run, node } = flight;
  const { path, visit, attempt } = run;
  const begin = job.journal.write(beginning({ t: 'begin', path, visit, attempt, action: node.action }, job, flight, opening));
  return new Shown(job, flight, begin, opening.skip);
}

/** What a host may show of a node, and an onlooker see of it: worked out for those that do. */
class Shown implements StepInfo, ObservedNode {
  constructor(
    private readonly job: Job,
    private readonly flight: Flight,
    readonly begin: string,
    readonly skip: string | undefined,
  ) {}

  get title(): string {
    const { run, node } = this.flight;
    const title = node.intent ?? (run.node.next.kind === 'end' ? `End: ${run.node.next.status}` : run.path);
    // An intent may hold an input, and that may be the same as a secret.
    return oneLine(this.job.secrets.vault.mask(title));
  }

  get subtitle(): string {
    return `${this.flight.run.path} · ${this.flight.node.action}`;
  }

  get place(): StepInfo['place'] {
    return this.job.loaded.compiled.origin(this.flight.node.pointer);
  }

  get record(): StepInfo['record'] {
    const { node, phase } = this.flight;
    return recordOf(node, phase, this.job.loaded.compiled.recipe.flows);
  }

  get phase(): StepInfo['phase'] {
    return this.flight.phase;
  }

  get opens(): boolean {
    return this.flight.run.node.body !== undefined;
  }

  get path(): string {
    return this.flight.run.path;
  }

  get action(): string {
    return this.flight.node.action;
  }

  get proofTarget(): string | undefined {
    return this.flight.node.proofTarget;
  }

  get needsPage(): boolean {
    const { node } = this.flight;
    const action = this.job.registry.get(node.action);
    return action !== undefined && needsOf(action, node).includes('page');
  }

  get captures(): boolean | undefined {
    return this.job.registry.get(this.action)?.captures;
  }

  get detail(): string | undefined {
    return this.flight.node.description;
  }

  get status(): ObservedNode['status'] {
    return this.flight.node.status;
  }
}

type Begin = Extract<JournalEntry, { t: 'begin' }>;
type End = Extract<JournalEntry, { t: 'end' }>;

// Set one by one: spreads of what may be missing cost more than all the rest of a small node.
function beginning(line: Begin, job: Job, flight: Flight, { skip, items, refused, fallible }: Opening): Begin {
  const { node } = flight;
  const { flows } = job.loaded.compiled.recipe;
  const action = job.registry.get(node.action);
  // What says nothing of itself belongs to what the node around it is for.
  const phase = (action && phaseOf(node, action, flows)) ?? flight.parent?.phase;
  if (phase) flight.phase = phase;
  if (node.intent !== undefined) line.intent = node.intent;
  if (phase) line.phase = phase;
  line.record = recordOf(node, phase, flows);
  if (node.proofTarget !== undefined) line.proofTarget = node.proofTarget;
  if (node.proves) line.proves = [...node.proves];
  if (fallible) line.fallible = true;
  if (skip !== undefined || items !== undefined || refused)
    line.decision = omitUndefined({ skip, items, refused: refused ? (true as const) : undefined });
  return line;
}

/** `isLast`: nothing else is in flight, and what comes of it is decided at once. */
export type Over = { ms: number; isLast?: boolean };

export function writeEnd({ job }: Conductor, { run }: Flight, ending: Ending, { ms, isLast }: Over): string {
  const { path, visit, attempt, node } = run;
  const { failure, output, asserts, artifacts, issues } = ending;
  const fate = fateOf(run, ending);
  const line: End = { t: 'end', path, visit, attempt, ms: Math.max(0, Math.round(ms)), ok: failure === undefined };
  if (fate === 'retried') line.retried = true;
  if (fate === 'tolerated') line.tolerated = true;
  if (fate === 'stopped') line.final = true;
  if (fate === 'failed' && node.recipe.onFail === 'note') line.noted = true;
  if (fate === 'passed' && node.next.kind === 'end') line.status = node.next.status;
  const next = fate === 'passed' || fate === 'skipped' || fate === 'tolerated' ? nextTarget(node.next, ending) : undefined;
  if (next !== undefined) line.next = next;
  if (asserts) line.asserts = [...asserts];
  if (output !== undefined) line.output = output;
  if (ending.case !== undefined || ending.fired)
    line.decision = omitUndefined({ case: ending.case, fired: ending.fired && [...ending.fired] });
  if (artifacts) line.artifacts = [...artifacts];
  if (issues) line.issues = [...issues];
  if (failure) line.error = errorOf(failure);
  return job.journal.write(line, isLast);
}

export type Fate = 'passed' | 'skipped' | 'stopped' | 'retried' | 'tolerated' | 'failed';

/** What becomes of a node that ended so; the engine comes to the same conclusion from the event. */
export function fateOf({ node, attempt }: Flight['run'], { failure, final, skipped }: Ending): Fate {
  if (!failure) return skipped ? 'skipped' : 'passed';
  if (failure.kind === 'interrupted' || final) return 'stopped';
  if (attempt + 1 < node.attempts) return 'retried';
  return node.recipe.onFail === 'continue' ? 'tolerated' : 'failed';
}

export function toEvent({ run }: Flight, ending: Ending): SettledEvent {
  const { failure, skipped } = ending;
  const status = failure ? failureTable[failure.kind].status : skipped ? 'skip' : 'pass';
  const final = fateOf(run, ending) === 'stopped' || undefined;
  return { t: 'settled', path: run.path, status, ...omitUndefined({ case: ending.case, fired: ending.fired, final }) };
}

function errorOf({ code, message, kind }: RecipeError) {
  return { code, message, cause_class: failureTable[kind].cause };
}
