// What assertions and nodes read is produced before they read it: data flow over the graph (spec §5.1, §5.2, §18).
import type { RecipeNode } from '../../dialects/recipe.js';
import { didYouMean } from '../../document/nearest.js';
import { joinPointer } from '../../document/pointer.js';
import { parsePath } from '../../graph/path.js';
import type { AtomAt } from '../atoms.js';
import type { Checked, NodeInGraph, Rule } from '../rules.js';
import { comesBefore } from '../transitions.js';

export const sourceRules: Rule = (checked) => {
  for (const atom of checked.atoms) checkAtom(checked, atom);
  for (const at of checked.nodes) {
    for (const field of checked.vocabulary.get(at.node.action)?.sourceFields ?? []) {
      const name = at.node.fields[field];
      if (typeof name === 'string') checkName(checked, { name, at, path: joinPointer(at.node.pointer, field) });
    }
    for (const [field, { source }] of at.node.bindings)
      checkName(checked, { name: source, at, path: joinPointer(at.node.pointer, 'rw', 'in', field, 'source') });
  }
};

type Read = { name: string; path: string; at?: NodeInGraph; flow?: string };

const roots = new Set(['inputs', 'params', 'saved', 'item', 'output']);

function checkAtom(checked: Checked, { atom, pointer, use, at, flow }: AtomAt): void {
  const where = { ...(at ? { at } : {}), ...(flow === undefined ? {} : { flow }) };
  // A postcondition also reads the output of the flow's last node, whose fields nobody knows here.
  if (atom.source !== undefined) checkName(checked, { name: atom.source, path: joinPointer(pointer, 'source'), ...where });
  else if (use === 'gate') {
    const [name] = parsePath(atom.path ?? '$') ?? [];
    if (name !== undefined) checkName(checked, { name, path: joinPointer(pointer, 'path'), ...where });
  }
}

function checkName(checked: Checked, read: Read): void {
  const { name, path } = read;
  if (roots.has(name)) return;
  if (name.startsWith('state:')) {
    checkStateRef(checked, name.slice('state:'.length), path);
    return;
  }
  if (isProduced(checked, read)) return;
  const ids = [...new Set(checked.nodes.map(({ node }) => node.id))];
  const message = ids.includes(name)
    ? `${JSON.stringify(name)} has not run when ${named(read)} reads its output.`
    : `There is no node ${JSON.stringify(name)} whose output ${named(read)} could read.`;
  const readable = ids.filter((id) => id !== name && isProduced(checked, { ...read, name: id }));
  checked.report({ code: 'workflow.unresolved_output', path, message, hint: didYouMean(name, [...readable, ...roots]) });
}

function named({ at, flow }: Read): string {
  return at ? JSON.stringify(at.node.id) : `the postcondition of ${JSON.stringify(flow)}`;
}

function checkStateRef({ stateRefs, report }: Checked, name: string, path: string): void {
  if (stateRefs.has(name)) return;
  const message = `The state ref ${JSON.stringify(name)} is declared by no manifest or setup module.`;
  report({ code: 'workflow.undeclared_state_ref', path, message, hint: didYouMean(name, [...stateRefs]) });
}

/** Whether the output lies open at this place: of a node before it in its graph, or of one in the graphs around it. */
function isProduced(checked: Checked, { name, at, flow }: Read): boolean {
  const { recipe } = checked.compiled;
  if (!at) return recipe.flows.get(flow ?? '')?.nodes.has(name) ?? false;
  if (at.graph === 'lifecycle') return isBeforeInLists(checked, name, at.node);
  if (at.graph === 'workflow') {
    const first = recipe.startState?.id === name || recipe.setup.some(({ id }) => id === name);
    return first || comesBefore(name, at.node, recipe.nodes);
  }
  // A flow also sees what its callers see, and a body what stands around it.
  const own = recipe.flows.get(at.flow ?? '')?.nodes;
  if (at.graph === 'flow' && own && comesBefore(name, at.node, own)) return true;
  return checked.nodes.some(({ node, flow: other }) => node.id === name && (at.graph === 'body' || other !== at.flow));
}

function isBeforeInLists({ compiled: { recipe } }: Checked, name: string, node: RecipeNode): boolean {
  const first = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : [])].map(({ id }) => id);
  if (!node.pointer.startsWith('/validate/workflow/teardown/')) return first.slice(0, first.indexOf(node.id)).includes(name);
  const torn = recipe.teardown.map(({ id }) => id);
  return first.includes(name) || recipe.nodes.has(name) || torn.slice(0, torn.indexOf(node.id)).includes(name);
}
