// Reads the state refs that a node needs, again before each use, because their values change with the state of the app under test.

import type { Action } from '../../actions/action.js';
import { RecipeError, toRecipeError } from '../../evidence/recipeError.js';
import type { Assertion, Flow, RecipeNode, Reference } from '../../recipe/recipe.js';
import type { StateRef } from '../../registry/setup.js';
import { pickFixtures } from '../host.js';
import type { Job } from '../job.js';
import type { NodeExecution } from './nodeExecution.js';
import { withDeadline } from './withDeadline.js';

const prefix = 'state:';

export async function readStateForGates(job: Job, execution: NodeExecution): Promise<void> {
  const { when, unless, bindings } = execution.node;
  await readStateRefs(job, execution, [when, unless, ...bindings.values()]);
}

/** Runs after the flow of a call, because the postcondition of the flow describes the state after it. */
export async function readStateForAction(job: Job, execution: NodeExecution, action: Action): Promise<void> {
  const { cases = [], assert, fields } = execution.node;
  const flow = typeof fields.ref === 'string' ? job.loaded.compiled.recipe.flows.get(fields.ref) : undefined;
  const readers = [...cases.map(({ when }) => when), flow?.postcondition, action.readsAssert ? assert : undefined];
  await readStateRefs(job, execution, readers, fields.source ?? fields.node);
}

/** Reads the state refs of the node's own assertion and of the conditions on its outgoing edges. */
export async function readStateForAsserts(job: Job, execution: NodeExecution): Promise<void> {
  const edges = execution.parent?.run.node.recipe.body?.edges ?? [];
  await readStateRefs(job, execution, [execution.node.assert, ...edges.map(({ when }) => when)]);
}

/** Adds the values of the state refs that the readers use to the scope of the node. */
async function readStateRefs(
  job: Job,
  execution: NodeExecution,
  readers: readonly (Assertion | Reference | undefined)[],
  field?: unknown,
): Promise<void> {
  if (job.stateRefs.size === 0) return;
  const names = new Set(readers.flatMap((reader) => (reader ? stateRefsIn(reader) : [])));
  if (typeof field === 'string' && field.startsWith(prefix)) names.add(field.slice(prefix.length));
  if (names.size === 0) return;
  const state = new Map<string, unknown>();
  for (const name of names) {
    const ref = job.stateRefs.get(name);
    // An undefined value replaces the earlier value too, which is no longer true.
    state.set(name, ref && toJsonValue(name, await readStateRef(ref, job, execution)));
  }
  execution.scope = execution.scope.withState(state);
}

async function readStateRef(ref: StateRef, job: Job, { run, scope, stop }: NodeExecution): Promise<unknown> {
  const { clock, host, projectRoot, nodeTimeoutMs } = job;
  const fixtures = pickFixtures(host.fixtures, ref.needs ?? []);
  const bounds = { clock, timeoutMs: run.node.recipe.timeoutMs ?? nodeTimeoutMs, graceMs: 0, stop };
  try {
    const readValue = async () => ({
      value: await ref.read({ fixtures, projectRoot, inputs: scope.inputs, signal: stop.signal }),
    });
    return (await withDeadline<{ value: unknown; failure?: RecipeError }>(readValue, bounds)).value;
  } catch (thrown) {
    if (thrown instanceof RecipeError) throw thrown;
    const { message } = toRecipeError(thrown);
    throw new RecipeError('state.threw', 'harness', `The state ref ${ref.name} could not be read: ${message}`, undefined, {
      cause: thrown,
    });
  }
}

// Assertions compare the JSON of the value, which the journal can record.
function toJsonValue(name: string, value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (thrown) {
    throw new RecipeError('state.not_json', 'harness', `The state ref ${name} returned a value that is not JSON.`, undefined, {
      cause: thrown,
    });
  }
}

/** The state refs that an assertion reads. */
function stateRefsIn(assertion: Assertion | Reference): string[] {
  const parts =
    'all' in assertion ? assertion.all : 'any' in assertion ? assertion.any : 'none' in assertion ? assertion.none : undefined;
  if (parts) return parts.flatMap(stateRefsIn);
  const { source } = assertion as { source?: string };
  return source?.startsWith(prefix) ? [source.slice(prefix.length)] : [];
}

/** Returns all state refs that any part of a node may read. */
export function stateRefsOf(node: RecipeNode, flows: ReadonlyMap<string, Flow>): string[] {
  const { when, unless, assert, cases = [], body, fields, bindings } = node;
  const postcondition = typeof fields.ref === 'string' ? flows.get(fields.ref)?.postcondition : undefined;
  const all = [
    when,
    unless,
    assert,
    postcondition,
    ...bindings.values(),
    ...cases.map((branch) => branch.when),
    ...(body?.edges ?? []).map((edge) => edge.when),
  ];
  const fromFields = [fields.source, fields.node].flatMap((name) =>
    typeof name === 'string' && name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  );
  return [...all.flatMap((assertion) => (assertion ? stateRefsIn(assertion) : [])), ...fromFields];
}
