// Reads that name no node: inputs, params, saved values, the item of an `each`, the node's own output (spec §4.1, §5.1).
import { didYouMean } from '../../document/nearest.js';
import type { Checked } from '../rules.js';
import { isSecret } from './inputs.js';
import { pathOf, type Read } from './sources.js';

export const roots: ReadonlySet<string> = new Set(['inputs', 'params', 'saved', 'item', 'output']);

export function checkRoot(checked: Checked, read: Read): void {
  if (read.name === 'inputs') checkInput(checked, read);
  else if (read.name === 'saved') checkSaved(checked, read);
  else {
    const problem = placeProblem(read);
    if (problem !== undefined) checked.report({ code: 'workflow.unresolved_output', path: pathOf(read), message: problem });
  }
}

function placeProblem({ name, use, at, flow }: Read): string | undefined {
  if (name === 'params' && flow === undefined && at?.flow === undefined)
    return '"params" are those of a flow, and this is none. Read "inputs".';
  if (name === 'item' && at?.graph !== 'body') return '"item" is that of an rw.each, and this node is in none.';
  if (name === 'output' && use === 'gate') return 'The node has no output yet when it is decided whether it runs.';
  return undefined;
}

// A comparison is recorded with both sides, so a secret may not be compared, nor copied anywhere.
function checkInput(checked: Checked, read: Read): void {
  const { keys, use, flow, at } = read;
  const [name] = keys;
  const { inputs } = checked.compiled.recipe;
  const secret =
    name === undefined ? [...inputs].find(([, value]) => isSecret(value))?.[0] : isSecret(inputs.get(name)) ? name : undefined;
  if (secret !== undefined) {
    const message = `The input ${JSON.stringify(secret)} is a secret and may not be read here, where its value is recorded.`;
    checked.report({ code: 'inputs.secret_misplaced', path: pathOf(read), message });
    return;
  }
  const mayBeParam = use === 'assert' && (flow ?? at?.flow) !== undefined;
  if (name === undefined || inputs.has(name) || checked.wellKnown.has(name) || mayBeParam) return;
  // What `param` names has a rule of its own.
  if (read.field === 'param') return;
  const message = `There is no input ${JSON.stringify(name)}.`;
  checked.report({
    code: 'workflow.unresolved_output',
    path: pathOf(read),
    message,
    hint: () => didYouMean(name, [...inputs.keys()]),
  });
}

function checkSaved({ nodes, report }: Checked, read: Read): void {
  const [name] = read.keys;
  if (name === undefined || nodes.some(({ node }) => node.saveAs === name)) return;
  const names = (): string[] => nodes.flatMap(({ node }) => node.saveAs ?? []);
  const message = `No node saves its output as ${JSON.stringify(name)}.`;
  report({ code: 'workflow.unresolved_output', path: pathOf(read), message, hint: () => didYouMean(name, names()) });
}
