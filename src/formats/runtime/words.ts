// What a node does now, as a sentence for the person who watches: its label, else the node in words.
import { isConditional, type RouterExpression, type TopologyEdge, type TopologyNode } from './manifest.js';
import { identityRouter } from './router.js';

/** Labels that say nothing. */
const generic = new Set(
  'run,setup,ui,test,step,execute,click,press,wait,screenshot,capture,assert,command,action,params,payload'.split(','),
);

export function intentOf(node: TopologyNode, title: string): string {
  const label = legible(node.visual?.label ?? '');
  const words = legible(inWords(node));
  if (label === '') return words;
  const isName = [node.id, title, node.type, `rw.${node.type}`].some((name) => normal(name) === normal(label));
  return isName || generic.has(normal(label)) ? `${label}: ${words}` : label;
}

function inWords(node: TopologyNode): string {
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
export function edgeInWords(edge: TopologyEdge, target: string): string | undefined {
  if (!isConditional(edge)) return edge.condition?.trim() ? `if ${short(edge.condition.replace(/\{\{|\}\}/g, ' '))}` : undefined;
  const keys = Object.keys(edge.mapping).filter((key) => edge.mapping[key] === target);
  const said = keys.map((key) => JSON.stringify(key)).join(' or ');
  const { router_logic: router } = edge;
  if (router === identityRouter) return `if it gives ${short(said)}`;
  return `if ${typeof router === 'string' ? router : short(expressionInWords(router))} is ${short(said)}`;
}

function expressionInWords({ operator, args }: RouterExpression): string {
  return `${operator}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
}

function short(text: string): string {
  const shown = legible(text);
  return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
}

// Braces would be taken for a reference.
function legible(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('{', '(').replaceAll('}', ')');
}

function normal(text: string): string {
  return legible(text)
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
