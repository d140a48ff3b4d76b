// What assertions and nodes read is produced before they read it: data flow over the graph (spec §4.1, §5.1, §5.2, §18).

import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { parsePath } from '../../engine/path.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { AtomAt } from '../atoms.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';
import { comesBefore } from '../transitions.js';
import { checkRoot, roots } from './roots.js';

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
      checkRead(checked, { name: source, keys, use: 'field', around: pointer, field: 'source', at, flow: undefined });
    }
  }
};

function checkFields(checked: Checked, at: NodeInGraph, fields: readonly string[]): void {
  const { node } = at;
  for (const field of fields) {
    const name = node.fields[field];
    if (typeof name !== 'string') continue;
    const keys = (typeof node.fields.path === 'string' ? parsePath(node.fields.path) : undefined) ?? [];
    checkRead(checked, { name, keys, use: 'field', around: node.pointer, field, at, flow: undefined });
  }
}

/** One look at a value: what is read, from where. */
export type Read = {
  name: string;
  keys: readonly string[];
  use: AtomAt['use'] | 'field';
  /** The pointer of what holds the field that says so. */
  around: string;
  field: string;
  at?: NodeInGraph | undefined;
  flow?: string | undefined;
};

function checkAtom(checked: Checked, { atom, pointer, use, at, flow }: AtomAt): void {
  const keys = parsePath(atom.path ?? '$') ?? [];
  if (atom.param !== undefined)
    checkRead(checked, { name: 'inputs', keys: [atom.param], use: 'assert', around: pointer, field: 'param', at, flow });
  if (atom.source !== undefined) checkRead(checked, { name: atom.source, keys, use, around: pointer, field: 'source', at, flow });
  else if (use === 'gate') {
    const [name, ...rest] = keys;
    if (name !== undefined) checkRead(checked, { name, keys: rest, use, around: pointer, field: 'path', at, flow });
  } else if (use === 'postcondition' && keys[0] === 'outputs' && keys[1] !== undefined) {
    checkRead(checked, { name: keys[1], keys: keys.slice(2), use, around: pointer, field: 'path', at, flow });
  }
}

function checkRead(checked: Checked, read: Read): void {
  const { name } = read;
  if (name.startsWith('state:')) checkStateRef(checked, name.slice('state:'.length), pathOf(read));
  else if (roots.has(name)) checkRoot(checked, read);
  else if (!isRollUp(read) && !isProduced(checked, read)) reportUnresolved(checked, read);
}

/** Beside the outputs of its nodes, a postcondition reads what became of the flow. */
function isRollUp({ name, use }: Read): boolean {
  return use === 'postcondition' && ['outputs', 'status', 'ref'].includes(name);
}

function reportUnresolved({ nodes, report, ...checked }: Checked, read: Read): void {
  const { name, at, use } = read;
  const own = at?.node.id === name && use === 'assert';
  const exists = own || nodes.some(({ node }) => node.id === name);
  const message = exists
    ? `${JSON.stringify(name)} has not run when ${named(read)} reads its output.`
    : `There is no node ${JSON.stringify(name)} whose output ${named(read)} could read.`;
  const hint = (): string => {
    if (own) return 'Leave "source" out: an assert reads the output of its own node.';
    const readable = nodes
      .map(({ node }) => node.id)
      .filter((id) => id !== name && isProduced({ ...checked, nodes, report }, { ...read, name: id }));
    return didYouMean(name, [...new Set([...readable, ...roots])]);
  };
  report({ code: 'workflow.unresolved_output', path: pathOf(read), message, hint });
}

/** Where the look is written. */
export function pathOf({ around, field }: Read): string {
  return joinPointer(around, field);
}

function named({ at, flow }: Read): string {
  return at ? JSON.stringify(at.node.id) : `the postcondition of ${JSON.stringify(flow)}`;
}

function checkStateRef({ stateRefs, report }: Checked, name: string, path: string): void {
  if (stateRefs.has(name)) return;
  const message = `The state ref ${JSON.stringify(name)} is declared by no manifest or setup module.`;
  report({ code: 'workflow.undeclared_state_ref', path, message, hint: () => didYouMean(name, [...stateRefs]) });
}

/** Whether the output lies open at this place: of a node before it in its graph, or of one in the graphs around it. */
function isProduced(checked: Checked, { name, at, flow }: Read): boolean {
  const { recipe } = checked.compiled;
  if (!at) return recipe.flows.get(flow ?? '')?.nodes.has(name) ?? false;
  if (at.graph === 'lifecycle') return isBeforeInLists(checked, name, at.node);
  if (at.graph === 'workflow') {
    const first = recipe.startState?.id === name || recipe.setup.some(({ id }) => id === name);
    return first || comesBefore({ from: name, to: at.node, nodes: recipe.nodes }, checked.memo);
  }
  // A flow also sees what its callers see, and a body what stands around it.
  const own = recipe.flows.get(at.flow ?? '')?.nodes;
  if (at.graph === 'flow' && own && comesBefore({ from: name, to: at.node, nodes: own }, checked.memo)) return true;
  return checked.nodes.some(({ node, flow: other }) => node.id === name && (at.graph === 'body' || other !== at.flow));
}

function isBeforeInLists({ compiled: { recipe } }: Checked, name: string, node: RecipeNode): boolean {
  const first = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : [])].map(({ id }) => id);
  if (!node.pointer.startsWith('/validate/workflow/teardown/')) return first.slice(0, first.indexOf(node.id)).includes(name);
  const torn = recipe.teardown.map(({ id }) => id);
  return first.includes(name) || recipe.nodes.has(name) || torn.slice(0, torn.indexOf(node.id)).includes(name);
}
