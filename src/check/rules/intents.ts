// The intent is a sentence for the person who watches (spec §5, §11.1).
import type { RecipeNode } from '../../dialects/recipe.js';
import type { Rule } from '../rules.js';

const generic = new Set(
  'executing recipe step,run,setup,ui,test,step,execute,click,press,wait,screenshot,capture,assert,command,selector,test id,testid,node id,action,params,payload'.split(
    ',',
  ),
);

export const intentRules: Rule = ({ nodes, registry, report }) => {
  for (const { node } of nodes) {
    if (registry.get(node.action)?.leads?.(node).kind === 'end') continue;
    const problem = problemWith(node, [...registry.keys()]);
    if (problem === undefined) continue;
    const hint = 'Write a short sentence that says what is being done now, for example "Open the cart of the buyer".';
    report({ code: 'workflow.invalid_intent', path: node.pointer, message: `Node ${JSON.stringify(node.id)} ${problem}.`, hint });
  }
};

function problemWith(node: RecipeNode, actions: readonly string[]): string | undefined {
  if (node.intent === undefined || node.intent.trim() === '') return 'has no intent';
  const said = normalise(node.intent);
  if (generic.has(said)) return `has an intent that says nothing: ${JSON.stringify(node.intent)}`;
  const names = [node.id, ...actions, node.fields.selector, node.fields.test_id, node.fields.testID, node.fields.ref];
  return names.some((name) => typeof name === 'string' && normalise(name) === said)
    ? `repeats a name as its intent: ${JSON.stringify(node.intent)}`
    : undefined;
}

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
