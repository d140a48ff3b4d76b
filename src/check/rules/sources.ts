// Checks that assertions and nodes read only values that exist when they run (spec §4.1, §5.1, §5.2, §18).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { parsePath } from '../../engine/jsonPath.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { comesBefore } from '../reachability.js';
import type { NodeInGraph, PlacedAtom } from '../recipeNodes.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { isSecret } from './inputs.js';

export const sourceRules: Rule = (context) => {
  for (const atom of context.atoms) checkAtom(context, atom);
  for (const at of context.nodes) {
    const { node } = at;
    const fields = context.factsOf(node.action)?.sourceFields;
    if (fields) checkFields(context, at, fields);
    if (node.bindings.size === 0) continue;
    for (const [field, { source, path = '$' }] of node.bindings) {
      const pointer = joinPointer(node.pointer, 'rw', 'in', field);
      const keys = parsePath(path) ?? [];
      checkRead(context, { name: source, keys, use: 'field', holderPointer: pointer, field: 'source', at, flow: undefined });
    }
  }
};

function checkFields(context: RuleContext, at: NodeInGraph, fields: readonly string[]): void {
  const { node } = at;
  for (const field of fields) {
    const name = node.fields[field];
    if (typeof name !== 'string') continue;
    const keys = (typeof node.fields.path === 'string' ? parsePath(node.fields.path) : undefined) ?? [];
    checkRead(context, { name, keys, use: 'field', holderPointer: node.pointer, field, at, flow: undefined });
  }
}

/** One read of a value. */
type ValueRead = {
  name: string;
  keys: readonly string[];
  use: PlacedAtom['use'] | 'field';
  /** JSON pointer of the object whose `field` names the value. */
  holderPointer: string;
  field: string;
  at?: NodeInGraph | undefined;
  flow?: string | undefined;
};

function checkAtom(context: RuleContext, { atom, pointer, use, at, flow }: PlacedAtom): void {
  const keys = parsePath(atom.path ?? '$') ?? [];
  if (atom.param !== undefined)
    checkRead(context, { name: 'inputs', keys: [atom.param], use: 'assert', holderPointer: pointer, field: 'param', at, flow });
  if (atom.source !== undefined)
    checkRead(context, { name: atom.source, keys, use, holderPointer: pointer, field: 'source', at, flow });
  else if (use === 'gate') {
    const [name, ...rest] = keys;
    if (name !== undefined) checkRead(context, { name, keys: rest, use, holderPointer: pointer, field: 'path', at, flow });
  } else if (use === 'postcondition' && keys[0] === 'outputs' && keys[1] !== undefined) {
    checkRead(context, { name: keys[1], keys: keys.slice(2), use, holderPointer: pointer, field: 'path', at, flow });
  }
}

function checkRead(context: RuleContext, read: ValueRead): void {
  const { name } = read;
  if (name.startsWith('state:')) checkStateRef(context, name.slice('state:'.length), pointerOfRead(read));
  else if (reservedSources.has(name)) checkReservedSource(context, read);
  else if (!isRollUp(read) && !isProduced(context, read)) reportUnresolved(context, read);
}

/** A postcondition can also read the result of the flow itself. */
function isRollUp({ name, use }: ValueRead): boolean {
  return use === 'postcondition' && ['outputs', 'status', 'ref'].includes(name);
}

function reportUnresolved({ nodes, report, ...context }: RuleContext, read: ValueRead): void {
  const { name, at, use } = read;
  const isOwnNode = at?.node.id === name && use === 'assert';
  const exists = isOwnNode || nodes.some(({ node }) => node.id === name);
  const message = exists
    ? `The node ${JSON.stringify(name)} has not run when ${describeReader(read)} reads its output.`
    : `There is no node ${JSON.stringify(name)}, whose output ${describeReader(read)} reads.`;
  const hint = (): string => {
    if (isOwnNode) return 'Remove "source": an assert reads the output of its own node.';
    const readable = nodes
      .map(({ node }) => node.id)
      .filter((id) => id !== name && isProduced({ ...context, nodes, report }, { ...read, name: id }));
    return didYouMean(name, [...new Set([...readable, ...reservedSources])]);
  };
  report({ code: 'workflow.unresolved_output', path: pointerOfRead(read), message, hint });
}

function pointerOfRead({ holderPointer, field }: ValueRead): string {
  return joinPointer(holderPointer, field);
}

function describeReader({ at, flow }: ValueRead): string {
  return at ? JSON.stringify(at.node.id) : `the postcondition of ${JSON.stringify(flow)}`;
}

function checkStateRef({ stateRefs, report }: RuleContext, name: string, path: string): void {
  if (stateRefs.has(name)) return;
  const message = `The state ref ${JSON.stringify(name)} is not declared by a manifest or setup module.`;
  report({ code: 'workflow.undeclared_state_ref', path, message, hint: () => didYouMean(name, [...stateRefs]) });
}

/** Whether a node of that name can run before the read, in the same graph or in a graph around it. */
function isProduced(context: RuleContext, { name, at, flow }: ValueRead): boolean {
  const { recipe } = context.compiled;
  if (!at) return recipe.flows.get(flow ?? '')?.nodes.has(name) ?? false;
  if (at.graph === 'lifecycle') return isBeforeInLists(context, name, at.node);
  if (at.graph === 'workflow') {
    const isPreparation = recipe.startState?.id === name || recipe.setup.some(({ id }) => id === name);
    return isPreparation || comesBefore({ from: name, to: at.node, nodes: recipe.nodes }, context.reachability);
  }
  // A flow can also read what its callers can read, and a body what its parent node can read.
  const flowNodes = recipe.flows.get(at.flow ?? '')?.nodes;
  if (at.graph === 'flow' && flowNodes && comesBefore({ from: name, to: at.node, nodes: flowNodes }, context.reachability))
    return true;
  return context.nodes.some(({ node, flow: other }) => node.id === name && (at.graph === 'body' || other !== at.flow));
}

function isBeforeInLists({ compiled: { recipe } }: RuleContext, name: string, node: RecipeNode): boolean {
  const preparation = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : [])].map(({ id }) => id);
  if (node.section !== 'teardown') return preparation.slice(0, preparation.indexOf(node.id)).includes(name);
  const teardown = recipe.teardown.map(({ id }) => id);
  return preparation.includes(name) || recipe.nodes.has(name) || teardown.slice(0, teardown.indexOf(node.id)).includes(name);
}

/** Sources that are not nodes: inputs, params, saved values, the item of an `each`, the node's own output (spec §4.1, §5.1). */
export const reservedSources: ReadonlySet<string> = new Set(['inputs', 'params', 'saved', 'item', 'output']);

function checkReservedSource(context: RuleContext, read: ValueRead): void {
  if (read.name === 'inputs') checkInput(context, read);
  else if (read.name === 'saved') checkSaved(context, read);
  else {
    const problem = placeProblem(read);
    if (problem !== undefined)
      context.report({ code: 'workflow.unresolved_output', path: pointerOfRead(read), message: problem });
  }
}

function placeProblem({ name, use, at, flow }: ValueRead): string | undefined {
  if (name === 'params' && flow === undefined && at?.flow === undefined)
    return 'Only a flow has "params". Read "inputs" instead.';
  if (name === 'item' && at?.graph !== 'body') return 'Only a node inside an rw.each has an "item".';
  if (name === 'output' && use === 'gate')
    return 'The condition is evaluated before the node runs, so the node has no output yet.';
  return undefined;
}

// The package records both sides of a comparison, so a secret may be neither compared nor copied.
function checkInput(context: RuleContext, read: ValueRead): void {
  const { keys, use, flow, at } = read;
  const [name] = keys;
  const { inputs } = context.compiled.recipe;
  const secret = [...inputs].find(([input, value]) => (name === undefined || input === name) && isSecret(value))?.[0];
  if (secret !== undefined) {
    const message = `The input ${JSON.stringify(secret)} is a secret, which is not allowed here: the package records this value.`;
    context.report({ code: 'inputs.secret_misplaced', path: pointerOfRead(read), message });
    return;
  }
  const mayBeParam = use === 'assert' && (flow ?? at?.flow) !== undefined;
  if (name === undefined || inputs.has(name) || context.wellKnown.has(name) || mayBeParam) return;
  // The rule assertion.unbound_param reports unknown params.
  if (read.field === 'param') return;
  const message = `There is no input ${JSON.stringify(name)}.`;
  context.report({
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
