// Checks that ids are unique, and safe in paths, tags and reports.

import { joinPointer } from '../../document/jsonPointer.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { reservedSources } from './sources.js';

const idPattern = /^[A-Za-z0-9_.-]{1,128}$/;

export const idRules: Rule = (context) => {
  const { recipe } = context.compiled;
  for (const { node } of context.nodes) {
    if (reservedSources.has(node.id)) reportReservedId(context, node.id, node.pointer);
    if (idPattern.test(node.id) || isImplicit(node.id)) continue;
    reportInvalidId(context, node.pointer, `${quoteId(node.id)}`);
  }
  for (const { id, pointer } of recipe.flows.values())
    if (!idPattern.test(id)) reportInvalidId(context, pointer, `${quoteId(id)}`);
  let index = 0;
  for (const { id } of recipe.proofTargets) checkTarget(context, id, index++);
  checkLifecycle(context);
  checkRecoveries(context);
  checkSaved(context);
};

// People name proof targets, so an id may have spaces. It may not have characters that a terminal or a tag interprets.
function checkTarget({ report }: RuleContext, id: string, index: number): void {
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{P}\p{S} ]{0,127}$/u.test(id) && !id.includes('::')) return;
  const path = joinPointer('/proofTargets', index, 'id');
  const hint = 'Use up to 128 letters, digits, spaces and punctuation, starting with a letter or digit.';
  report({ code: 'recipe.invalid_proof_target', path, message: `${quoteId(id)} is not a valid id of a proof target.`, hint });
}

function reportReservedId({ report }: RuleContext, id: string, path: string): void {
  const message = `The id ${quoteId(id)} is reserved, because a "source" of this name is not a node.`;
  report({ code: 'workflow.duplicate_id', path, message, hint: 'Rename the node.' });
}

function isImplicit(id: string): boolean {
  return /^(setup|teardown):\d+$/.test(id);
}

function quoteId(id: string): string {
  return JSON.stringify(id.length > 140 ? `${id.slice(0, 140)}…` : id);
}

function reportInvalidId({ report }: RuleContext, path: string, subject: string): void {
  const hint = 'An id has 1 to 128 letters, digits, "_", "-" or ".".';
  report({ code: 'workflow.invalid_id', path, message: `${subject} is not a valid id.`, hint });
}

function checkLifecycle({ compiled: { recipe }, report }: RuleContext): void {
  if (!recipe.startState && recipe.setup.length === 0 && recipe.teardown.length === 0) return;
  const listed = [...recipe.setup, ...(recipe.startState ? [recipe.startState] : []), ...recipe.teardown];
  const seen = new Set<string>();
  for (const node of listed) {
    if (seen.has(node.id) || recipe.nodes.has(node.id)) {
      report({ code: 'workflow.duplicate_id', path: node.pointer, message: `The id ${quoteId(node.id)} is used twice.` });
    }
    seen.add(node.id);
  }
}

function checkRecoveries({ nodes, traits, report }: RuleContext): void {
  if (!traits.hasInnerNodes) return;
  for (const { node } of nodes) {
    if (!node.retry?.recover || !node.body?.nodes.has('recover')) continue;
    const path = joinPointer(node.pointer, 'body', 'nodes', 'recover');
    report({
      code: 'workflow.duplicate_id',
      path,
      message: 'The id "recover" belongs to the recovery of the parent node.',
    });
  }
}

function checkSaved({ nodes, traits, report }: RuleContext): void {
  if (!traits.savesOutputs) return;
  const first = new Map<string, string>();
  for (const { node } of nodes) {
    if (node.saveAs === undefined) continue;
    const other = first.get(node.saveAs);
    if (other === undefined) first.set(node.saveAs, node.id);
    else {
      const message = `"${node.id}" and "${other}" both save their output as ${JSON.stringify(node.saveAs)}. The later output replaces the earlier one.`;
      report({ code: 'workflow.output_collision', severity: 'warning', path: joinPointer(node.pointer, 'save_as'), message });
    }
  }
}
