// What assertions and nodes read is produced before they read it: data flow over the graph (spec §4.1, §5.1, §5.2, §18).
import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { parsePath } from '../../engine/jsonPath.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { comesBefore } from '../reachability.js';
import type { NodeInGraph, PlacedAtom } from '../recipeNodes.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { isSecret } from './inputs.js';

export const sourceRules: Rule = (checked) => {
  for (const atom of checked.atoms) checkAtom(checked, atom);
  for (const at of checked.nodes) {
    const { node } = at;
    const fields = checked.factsOf(node.action)?.sourceFields;
    if (fields) checkFields(checked, at, fields);
    if (node.bindings.size === 0) continue;
    for (const [field, { source, path = '$' }] of node.bindings) {
      const pointer = joinPointer(node.pointer, 'rw', 'in', field);
      const keys = parsePath(path) ?? [];
      checkRead(checked, { name: source, keys, use: 'field', holderPointer: pointer, field: 'source', at, flow: undefined });
    }
  }
};

function checkFields(checked: RuleContext, at: NodeInGraph, fields: readonly string[]): void {
  const { node } = at;
  for (const field of fields) {
    const name = node.fields[field];
    if (typeof name !== 'string') continue;
    const keys = (typeof node.fields.path === 'string' ? parsePath(node.fields.path) : undefined) ?? [];
    checkRead(checked, { name, keys, use: 'field', holderPointer: node.pointer, field, at, flow: undefined });
  }
}

/** One look at a value: what is read, from where. */
export type ValueRead = {
  name: string;
  keys: readonly string[];
  use: PlacedAtom['use'] | 'field';
  /** The pointer of what holds the field that says so. */
  holderPointer: string;
  field: string;
  at?: NodeInGraph | undefined;
  flow?: string | undefined;
};

function checkAtom(checked: RuleContext, { atom, pointer, use, at, flow }: PlacedAtom): void {
  const keys = parsePath(atom.path ?? '$') ?? [];
  if (atom.param !== undefined)
    checkRead(checked, { name: 'inputs', keys: [atom.param], use: 'assert', holderPointer: pointer, field: 'param', at, flow });
  if (atom.source !== undefined)
    checkRead(checked, { name: atom.source, keys, use, holderPointer: pointer, field: 'source', at, flow });
  else if (use === 'gate') {
    const [name, ...rest] = keys;
    if (name !== undefined) checkRead(checked, { name, keys: rest, use, holderPointer: pointer, field: 'path', at, flow });
  } else if (use === 'postcondition' && keys[0] === 'outputs' && keys[1] !== undefined) {
    checkRead(checked, { name: keys[1], keys: keys.slice(2), use, holderPointer: pointer, field: 'path', at, flow });
  }
}

function checkRead(checked: RuleContext, read: ValueRead): void {
  const { name } = read;
  if (name.startsWith('state:')) checkStateRef(checked, name.slice('state:'.length), pointerOfRead(read));
  else if (reservedSources.has(name)) checkReservedSource(checked, read);
  else if (!isRollUp(read) && !isProduced(checked, read)) reportUnresolved(checked, read);
}

/** Beside the outputs of its nodes, a postcondition reads what became of the flow. */
function isRollUp({ name, use }: ValueRead): boolean {
  return use === 'postcondition' && ['outputs', 'status', 'ref'].includes(name);
}

function reportUnresolved({ nodes, report, ...checked }: RuleContext, read: ValueRead): void {
  const { name, at, use } = read;
  const own = at?.node.id === name && use === 'assert';
  const exists = own || nodes.some(({ node }) => node.id === name);
  const message = exists
    ? `${JSON.stringify(name)} has not run when ${describeReader(read)} reads its output.`
    : `There is no node ${JSON.stringify(name)} whose output ${describeReader(read)} could read.`;
  const hint = (): string => {
    if (own) return 'Leave "source" out: an assert reads the output of its own node.';
    const readable = nodes
      .map(({ node }) => node.id)
      .filter((id) => id !== name && isProduced({ ...checked, nodes, report }, { ...read, name: id }));
    return didYouMean(name, [...new Set([...readable, ...reservedSources])]);
  };
  report({ code: 'workflow.unresolved_output', path: pointerOfRead(read), message, hint });
}

/** Where the look is written. */
export function pointerOfRead({ holderPointer, field }: ValueRead): string {
  return joinPointer(holderPointer, field);
}

function describeReader({ at, flow }: ValueRead): string {
  return at ? JSON.stringify(at.node.id) : `the postcondition of ${JSON.stringify(flow)}`;
}

function checkStateRef({ stateRefs, report }: RuleContext, name: string, path: string): void {
  if (stateRefs.has(name)) return;
  const message = `The state ref ${JSON.stringify(name)} is declared by no manifest or setup module.`;
  report({ code: 'workflow.undeclared_state_ref', path, message, hint: () => didYouMean(name, [...stateRefs]) });
}

/** Whether the output lies open at this place: of a node before it in its graph, or of one in the graphs around it. */
function isProduced(checked: RuleContext, { name, at, flow }: ValueRead): boolean {
  const { recipe } = checked.compiled;
  if (!at) return recipe.flows.get(flow ?? '')?.nodes.has(name) ?? false;
  if (at.graph === 'lifecycle') return isBeforeInLists(checked, name, at.node);
  if (at.graph === 'workflow') {
    const first = recipe.startState?.id === name || recipe.setup.some(({ id }) => id === name);
    return first || comesBefore({ from: name, to: at.node, nodes: recipe.nodes }, checked.reachability);
  }
  // A flow also sees what its callers see, and a body what stands around it.
  const own = recipe.flows.get(at.flow ?? '')?.nodes;
  if (at.graph === 'flow' && own && comesBefore({ from: name, to: at.node, nodes: own }, checked.reachability)) return true;
  return checked.nodes.some(({ node, flow: other }) => node.id === name && (at.graph === 'body' || other !== at.flow));
}

function isBeforeInLists({ compiled: { recipe } }: RuleContext, name: string, node: RecipeNode): boolean {
  const first = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : [])].map(({ id }) => id);
  if (node.section !== 'teardown') return first.slice(0, first.indexOf(node.id)).includes(name);
  const torn = recipe.teardown.map(({ id }) => id);
  return first.includes(name) || recipe.nodes.has(name) || torn.slice(0, torn.indexOf(node.id)).includes(name);
}

// Reads that name no node: inputs, params, saved values, the item of an `each`, the node's own output (spec §4.1, §5.1).

export const reservedSources: ReadonlySet<string> = new Set(['inputs', 'params', 'saved', 'item', 'output']);

export function checkReservedSource(checked: RuleContext, read: ValueRead): void {
  if (read.name === 'inputs') checkInput(checked, read);
  else if (read.name === 'saved') checkSaved(checked, read);
  else {
    const problem = placeProblem(read);
    if (problem !== undefined)
      checked.report({ code: 'workflow.unresolved_output', path: pointerOfRead(read), message: problem });
  }
}

function placeProblem({ name, use, at, flow }: ValueRead): string | undefined {
  if (name === 'params' && flow === undefined && at?.flow === undefined)
    return '"params" are those of a flow, and this is none. Read "inputs".';
  if (name === 'item' && at?.graph !== 'body') return '"item" is that of an rw.each, and this node is in none.';
  if (name === 'output' && use === 'gate') return 'The node has no output yet when it is decided whether it runs.';
  return undefined;
}

// A comparison is recorded with both sides, so a secret may not be compared, nor copied anywhere.
function checkInput(checked: RuleContext, read: ValueRead): void {
  const { keys, use, flow, at } = read;
  const [name] = keys;
  const { inputs } = checked.compiled.recipe;
  const secret =
    name === undefined ? [...inputs].find(([, value]) => isSecret(value))?.[0] : isSecret(inputs.get(name)) ? name : undefined;
  if (secret !== undefined) {
    const message = `The input ${JSON.stringify(secret)} is a secret and may not be read here, where its value is recorded.`;
    checked.report({ code: 'inputs.secret_misplaced', path: pointerOfRead(read), message });
    return;
  }
  const mayBeParam = use === 'assert' && (flow ?? at?.flow) !== undefined;
  if (name === undefined || inputs.has(name) || checked.wellKnown.has(name) || mayBeParam) return;
  // What `param` names has a rule of its own.
  if (read.field === 'param') return;
  const message = `There is no input ${JSON.stringify(name)}.`;
  checked.report({
    code: 'workflow.unresolved_output',
    path: pointerOfRead(read),
    message,
    hint: () => didYouMean(name, [...inputs.keys()]),
  });
}

function checkSaved({ nodes, report }: RuleContext, read: ValueRead): void {
  const [name] = read.keys;
  if (name === undefined || nodes.some(({ node }) => node.saveAs === name)) return;
  const names = (): string[] => nodes.flatMap(({ node }) => node.saveAs ?? []);
  const message = `No node saves its output as ${JSON.stringify(name)}.`;
  report({ code: 'workflow.unresolved_output', path: pointerOfRead(read), message, hint: () => didYouMean(name, names()) });
}
