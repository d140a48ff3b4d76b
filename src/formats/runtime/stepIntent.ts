// What a node does now, as a sentence for the person who watches: its label, else the node in words.
import { isConditional, type RouterExpression, type TopologyEdge, type TopologyNode } from './manifest.js';
import { identityRouter } from './router.js';

/** Labels that say nothing. */
const genericLabels = new Set(
  'run,setup,ui,test,step,execute,click,press,wait,screenshot,capture,assert,command,action,params,payload'.split(','),
);

export function stepIntent(node: TopologyNode, title: string): string {
  const label = withoutBraces(node.visual?.label ?? '');
  const description = withoutBraces(describeNode(node));
  if (label === '') return description;
  const isName = [node.id, title, node.type, `rw.${node.type}`].some((name) => normalizeLabel(name) === normalizeLabel(label));
  return isName || genericLabels.has(normalizeLabel(label)) ? `${label}: ${description}` : label;
}

function describeNode(node: TopologyNode): string {
  const id = JSON.stringify(node.id);
  if (node.council_config && (node.type === 'agent' || node.type === 'logic'))
    return `Ask the council of ${node.council_config.voters.join(', ') || 'nobody'} for ${id}`;
  if (node.type === 'agent') return `Ask the agent ${node.agent_name} for ${id}`;
  if (node.type === 'human') return `Wait for a person to answer ${id}`;
  if (node.type === 'logic') return `Work out ${id} by its logic`;
  if (node.type === 'recipe') return `Run the recipe ${node.recipe_id} for ${id}`;
  return `Run ${JSON.stringify(node.processor_node_id)} for each item of ${node.items_path}`;
}

/** When an edge leads to this target, for those who look at the picture; undefined when it always does. */
export function describeEdge(edge: TopologyEdge, target: string): string | undefined {
  if (!isConditional(edge))
    return edge.condition?.trim() ? `if ${shorten(edge.condition.replace(/\{\{|\}\}/g, ' '))}` : undefined;
  const keys = Object.keys(edge.mapping).filter((key) => edge.mapping[key] === target);
  const quotedKeys = keys.map((key) => JSON.stringify(key)).join(' or ');
  const { router_logic: router } = edge;
  if (router === identityRouter) return `if it gives ${shorten(quotedKeys)}`;
  return `if ${typeof router === 'string' ? router : shorten(printRouter(router))} is ${shorten(quotedKeys)}`;
}

function printRouter({ operator, args }: RouterExpression): string {
  return `${operator}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}

function shorten(text: string): string {
  const plain = withoutBraces(text);
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain;
}

// Braces would be taken for a reference.
function withoutBraces(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('{', '(').replaceAll('}', ')');
}

function normalizeLabel(text: string): string {
  return withoutBraces(text)
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
