// Checks that flows have a description, a postcondition if their name begins with ensure, and params instead of near-copies (spec §8, §8.1,
// §18).

import { didYouMean } from '../../document/didYouMean.js';
import { joinPointer } from '../../document/jsonPointer.js';
import { referencesIn } from '../../engine/references.js';
import { ensuresState } from '../../formats/classic/catalogExample.js';
import type { Flow } from '../../recipe/recipe.js';
import type { Rule, RuleContext } from '../ruleContext.js';

export const flowRules: Rule = (context) => {
  if (context.compiled.recipe.flows.size === 0) return;
  const flows = [...context.compiled.recipe.flows.values()];
  for (const flow of flows) {
    checkContract(context, flow);
    checkActions(context, flow);
  }
  for (const { id, others, suggestedId } of findDuplicateFlows(flows.map((flow) => flow.id))) {
    const message = `The flows ${JSON.stringify(id)} and ${others.map((other) => JSON.stringify(other)).join(', ')} differ only in a state, a polarity or a route.`;
    const hint = `Replace them with one flow that has a param, for example ${suggestedId}.`;
    context.report({ code: 'flow.duplicate', severity: 'warning', path: joinPointer('/flows', id), message, hint });
  }
};

function checkContract({ compiled, report, proofSeverity }: RuleContext, flow: Flow): void {
  const { id, pointer, postcondition } = flow;
  if (ensuresState(id) && postcondition === undefined && !flow.fromRecipe) {
    const message = `The flow ${JSON.stringify(id)} ensures a state by its name, but has no "postcondition" that checks the state.`;
    report({ code: 'flow.missing_postcondition', path: pointer, message });
  }
  if (flow.catalog !== undefined || compiled.kind === 'catalog') {
    for (const field of ['version', 'description'] as const) {
      if (flow[field] !== undefined) continue;
      const message = `The flow ${JSON.stringify(id)} has no ${JSON.stringify(field)}, which a flow of a catalog must have.`;
      report({ code: `flow.missing_${field}`, severity: proofSeverity, path: pointer, message });
    }
  }
  const usesParams = [...flow.nodes.values()].some((node) =>
    referencesIn([node.fields, node.assert, node.when, node.unless]).some((name) => name.startsWith('params.')),
  );
  if (usesParams && flow.paramsSchema === undefined) {
    const message = `The flow ${JSON.stringify(id)} uses params, but has no "paramsSchema" that declares them.`;
    report({ code: 'flow.missing_params_schema', severity: 'warning', path: pointer, message });
  }
}

function checkActions({ vocabulary, report }: RuleContext, { id, pointer, nodes, requiresActions }: Flow): void {
  if (!requiresActions) return;
  for (const [index, action] of requiresActions.entries()) {
    if (vocabulary.has(action)) continue;
    const message = `The flow ${JSON.stringify(id)} requires the action ${JSON.stringify(action)}, which is not declared.`;
    const path = joinPointer(pointer, 'requiresActions', index);
    report({ code: 'flow.required_action_missing', path, message, hint: () => didYouMean(action, [...vocabulary.keys()]) });
  }
  for (const node of nodes.values()) {
    if (!node.action.includes('.') || requiresActions.includes(node.action)) continue;
    const message = `The flow ${JSON.stringify(id)} uses ${JSON.stringify(node.action)}, but does not list it in "requiresActions".`;
    report({ code: 'flow.undeclared_action', severity: 'warning', path: joinPointer(node.pointer, 'action'), message });
  }
}

/** Words in a flow's name that should be a param: a polarity, a state, a route or a provider (spec §8.1). */
const stateWords = new Set(
  'no,not,non,without,un,none,any,open,opened,closed,long,short,on,off,enabled,disabled,true,false,visible,hidden,present,absent,empty,full,active,inactive,logged,in,out,locked,unlocked,mainnet,testnet,is,has,default'.split(
    ',',
  ),
);

/** Verbs whose object is a route or a choice, which should be a param. */
const routeVerbs = new Set(['navigate', 'goto', 'select', 'switch', 'visit']);

type DuplicateFlows = { id: string; others: string[]; suggestedId: string };

/** Flows whose names have the same verb and object once such words are removed. */
function findDuplicateFlows(ids: readonly string[]): DuplicateFlows[] {
  const families = new Map<string, string[]>();
  for (const id of ids) {
    const key = flowFamily(id);
    families.set(key, [...(families.get(key) ?? []), id]);
  }
  return [...families].flatMap(([key, [first, ...others]]) =>
    first === undefined || others.length === 0 ? [] : [{ id: first, others, suggestedId: JSON.stringify(key) }],
  );
}

function flowFamily(id: string): string {
  const at = id.lastIndexOf('.');
  const [verb = '', ...object] = id.slice(at + 1).split(/[_-]/);
  const rest = routeVerbs.has(verb) ? [] : object.filter((word) => !stateWords.has(word)).map(singular);
  return id.slice(0, at + 1) + [verb, ...rest].join('_');
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
