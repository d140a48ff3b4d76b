// Writes the two journal lines of a node: one before its action runs, and one with its result.
import { needsOf } from '../../actions/action.js';
import { phaseOf, recordOf } from '../../actions/phaseDefaults.js';
import type { ObservedNode } from '../../browser/nodeObserver.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import { oneLine } from '../../document/printFinding.js';
import { nextTarget } from '../../engine/regions/walk.js';
import type { SettledEvent } from '../../engine/state.js';
import { failureTable } from '../../evidence/failureTable.js';
import type { UnexpectedLog } from '../../evidence/issues.js';
import type { Artifact, Assert, JournalEntry } from '../../evidence/journal.js';
import type { RecipeError } from '../../evidence/recipeError.js';
import type { StepInfo } from '../host.js';
import type { Job } from '../job.js';
import type { NodeExecution, Scheduler } from './nodeExecution.js';

/** The decisions about a node before its action runs. */
export type BeginDecision = { skip?: string | undefined; items?: number | undefined; refused?: boolean; fallible?: boolean };

/** How a node ended. */
export type NodeEnding = {
  skipped?: true;
  failure?: RecipeError;
  /** The failure is neither retried nor tolerated. */
  final?: true;
  output?: unknown;
  asserts?: readonly Assert[];
  artifacts?: readonly Artifact[];
  issues?: readonly UnexpectedLog[];
  case?: string;
  fired?: readonly number[];
};

export function writeBeginLine({ job }: Scheduler, execution: NodeExecution, decision: BeginDecision): StepInfo & ObservedNode {
  const { run, node } = execution;
  const { path, visit, attempt } = run;
  const line = completeBeginLine({ t: 'begin', path, visit, attempt, action: node.action }, job, execution, decision);
  return new NodeView(job, execution, job.journal.write(line), decision.skip);
}

/** A node as the host and the observer see it. Every property is computed on access, because most are rarely read. */
class NodeView implements StepInfo, ObservedNode {
  constructor(
    private readonly job: Job,
    private readonly execution: NodeExecution,
    readonly begin: string,
    readonly skip: string | undefined,
  ) {}

  get title(): string {
    const { run, node } = this.execution;
    const title = node.intent ?? (run.node.next.kind === 'end' ? `End: ${run.node.next.status}` : run.path);
    // An intent may contain the value of an input, which may equal a secret.
    return oneLine(this.job.secrets.vault.mask(title));
  }

  get subtitle(): string {
    return `${this.execution.run.path} · ${this.execution.node.action}`;
  }

  get place(): StepInfo['place'] {
    return this.job.loaded.compiled.origin(this.execution.node.pointer);
  }

  get record(): StepInfo['record'] {
    const { node, phase } = this.execution;
    return recordOf(node, phase, this.job.loaded.compiled.recipe.flows);
  }

  get phase(): StepInfo['phase'] {
    return this.execution.phase;
  }

  get opens(): boolean {
    return this.execution.run.node.body !== undefined;
  }

  get path(): string {
    return this.execution.run.path;
  }

  get action(): string {
    return this.execution.node.action;
  }

  get proofTarget(): string | undefined {
    return this.execution.node.proofTarget;
  }

  get needsPage(): boolean {
    const { node } = this.execution;
    const action = this.job.registry.get(node.action);
    return action !== undefined && needsOf(action, node).includes('page');
  }

  get captures(): boolean | undefined {
    return this.job.registry.get(this.action)?.captures;
  }

  get detail(): string | undefined {
    return this.execution.node.description;
  }

  get status(): ObservedNode['status'] {
    return this.execution.node.status;
  }
}

type BeginLine = Extract<JournalEntry, { t: 'begin' }>;
type NodeEndLine = Extract<JournalEntry, { t: 'end' }>;

// Sets the optional properties one by one: spreading optional objects would take longer than everything else in a small node.
function completeBeginLine(
  line: BeginLine,
  job: Job,
  execution: NodeExecution,
  { skip, items, refused, fallible }: BeginDecision,
): BeginLine {
  const { node } = execution;
  const { flows } = job.loaded.compiled.recipe;
  const action = job.registry.get(node.action);
  // A node without a phase of its own has the phase of its parent.
  const phase = (action && phaseOf(node, action, flows)) ?? execution.parent?.phase;
  if (phase) execution.phase = phase;
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

export function writeEndLine({ job }: Scheduler, { run }: NodeExecution, ending: NodeEnding, ms: number): string {
  const { path, visit, attempt, node } = run;
  const { failure, output, asserts, artifacts, issues } = ending;
  const outcome = outcomeOf(run, ending);
  const line: NodeEndLine = { t: 'end', path, visit, attempt, ms: Math.max(0, Math.round(ms)), ok: failure === undefined };
  if (outcome === 'retried') line.retried = true;
  if (outcome === 'tolerated') line.tolerated = true;
  if (outcome === 'stopped') line.final = true;
  if (outcome === 'failed' && node.recipe.onFail === 'note') line.noted = true;
  if (outcome === 'passed' && node.next.kind === 'end') line.status = node.next.status;
  const next =
    outcome === 'passed' || outcome === 'skipped' || outcome === 'tolerated' ? nextTarget(node.next, ending) : undefined;
  if (next !== undefined) line.next = next;
  if (asserts) line.asserts = [...asserts];
  if (output !== undefined) line.output = output;
  if (ending.case !== undefined || ending.fired)
    line.decision = omitUndefined({ case: ending.case, fired: ending.fired && [...ending.fired] });
  if (artifacts) line.artifacts = [...artifacts];
  if (issues) line.issues = [...issues];
  if (failure) line.error = errorOf(failure);
  return job.journal.write(line);
}

export type NodeOutcome = 'passed' | 'skipped' | 'stopped' | 'retried' | 'tolerated' | 'failed';

/** Computes the outcome of a node from its ending. The engine derives the same outcome from the event. */
export function outcomeOf({ node, attempt }: NodeExecution['run'], { failure, final, skipped }: NodeEnding): NodeOutcome {
  if (!failure) return skipped ? 'skipped' : 'passed';
  if (failure.kind === 'interrupted' || final) return 'stopped';
  if (attempt + 1 < node.attempts) return 'retried';
  return node.recipe.onFail === 'continue' ? 'tolerated' : 'failed';
}

export function toEvent({ run }: NodeExecution, ending: NodeEnding): SettledEvent {
  const { failure, skipped } = ending;
  const status = failure ? failureTable[failure.kind].status : skipped ? 'skip' : 'pass';
  const final = outcomeOf(run, ending) === 'stopped' || undefined;
  return { t: 'settled', path: run.path, status, ...omitUndefined({ case: ending.case, fired: ending.fired, final }) };
}

function errorOf({ code, message, kind }: RecipeError) {
  return { code, message, cause_class: failureTable[kind].cause };
}
