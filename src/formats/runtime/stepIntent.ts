// Describes a node as a sentence for the HUD and for pictures: by its label, otherwise by its type and fields.
import { isConditional, type RouterExpression, type TopologyEdge, type TopologyNode } from './manifest.js';
import { identityRouter } from './router.js';

/** Labels without information. */
const genericLabels = new Set(
  'run,setup,ui,test,step,execute,click,press,wait,screenshot,capture,assert,command,action,params,payload'.split(','),
);

export function stepIntent(node: TopologyNode, title: string): string {
  const label = toPlainLine(node.visual?.label ?? '');
  const description = toPlainLine(describeNode(node));
  if (label === '') return description;
  const isName = [node.id, title, node.type, `rw.${node.type}`].some((name) => normalizeLabel(name) === normalizeLabel(label));
  return isName || genericLabels.has(normalizeLabel(label)) ? `${label}: ${description}` : label;
}

function describeNode(node: TopologyNode): string {
  const id = JSON.stringify(node.id);
  if (node.council_config && (node.type === 'agent' || node.type === 'logic'))
    return `Ask the council of ${node.council_config.voters.join(', ') || 'no voters'} for ${id}`;
  if (node.type === 'agent') return `Ask the agent ${node.agent_name} for ${id}`;
  if (node.type === 'human') return `Wait for a person to answer ${id}`;
  if (node.type === 'logic') return `Compute ${id} with its logic`;
  if (node.type === 'recipe') return `Run the recipe ${node.recipe_id} as the step ${id}`;
  return `Run ${JSON.stringify(node.processor_node_id)} for each item of ${node.items_path}`;
}

/** Describes the condition of an edge, for pictures. Returns undefined when the edge always fires. */
export function describeEdge(edge: TopologyEdge, target: string): string | undefined {
  if (!isConditional(edge))
    return edge.condition?.trim() ? `if ${shorten(edge.condition.replace(/\{\{|\}\}/g, ' '))}` : undefined;
  const keys = Object.keys(edge.mapping).filter((key) => edge.mapping[key] === target);
  const quotedKeys = keys.map((key) => JSON.stringify(key)).join(' or ');
  const { router_logic: router } = edge;
  if (router === identityRouter) return `if the output is ${shorten(quotedKeys)}`;
  return `if ${typeof router === 'string' ? router : shorten(printRouter(router))} is ${shorten(quotedKeys)}`;
}

function printRouter({ operator, args }: RouterExpression): string {
  return `${operator}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}

function shorten(text: string): string {
  const plain = toPlainLine(text);
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain;
}

/** Replaces braces in an intent, because Recipe v1 would read them as references. */
export function replaceBraces(text: string): string {
  return text.replaceAll('{', '(').replaceAll('}', ')');
}

function toPlainLine(text: string): string {
  return replaceBraces(text.replace(/\s+/g, ' ').trim());
}

function normalizeLabel(text: string): string {
  return toPlainLine(text)
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
