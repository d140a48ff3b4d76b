// Names that are safe in paths, tags and reports, and used once.
import { joinPointer } from '../../document/jsonPointer.js';
import type { Rule, RuleContext } from '../ruleContext.js';
import { reservedSources } from './sources.js';

const idPattern = /^[A-Za-z0-9_.-]{1,128}$/;

export const idRules: Rule = (checked) => {
  const { recipe } = checked.compiled;
  for (const { node } of checked.nodes) {
    if (reservedSources.has(node.id)) reportReservedId(checked, node.id, node.pointer);
    if (idPattern.test(node.id) || isImplicit(node.id)) continue;
    reportInvalidId(checked, node.pointer, `The node id ${quoteId(node.id)}`);
  }
  for (const { id, pointer } of recipe.flows.values())
    if (!idPattern.test(id)) reportInvalidId(checked, pointer, `The flow id ${quoteId(id)}`);
  let index = 0;
  for (const { id } of recipe.proofTargets) checkTarget(checked, id, index++);
  checkLifecycle(checked);
  checkRecoveries(checked);
  checkSaved(checked);
};

// Claims are named by people, so words are welcome; what a terminal or a tag would take for something else is not.
function checkTarget({ report }: RuleContext, id: string, index: number): void {
  if (/^[\p{L}\p{N}][\p{L}\p{N}\p{P}\p{S} ]{0,127}$/u.test(id) && !id.includes('::')) return;
  const path = joinPointer('/proofTargets', index, 'id');
  const hint = 'Use up to 128 letters, digits, spaces and punctuation, beginning with a letter or digit.';
  report({ code: 'recipe.invalid_proof_target', path, message: `${quoteId(id)} cannot be the id of a claim.`, hint });
}

function reportReservedId({ report }: RuleContext, id: string, path: string): void {
  const message = `The id ${quoteId(id)} would never be read: as a source it names something else.`;
  report({ code: 'workflow.duplicate_id', path, message, hint: 'Rename the node.' });
}

function isImplicit(id: string): boolean {
  return /^(setup|teardown):\d+$/.test(id);
}

function quoteId(id: string): string {
  return JSON.stringify(id.length > 140 ? `${id.slice(0, 140)}…` : id);
}

function reportInvalidId({ report }: RuleContext, path: string, what: string): void {
  const hint = 'Ids have 1 to 128 letters, digits, "_", "-" or ".".';
  report({ code: 'workflow.invalid_id', path, message: `${what} has characters that an id cannot have.`, hint });
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
  if (!traits.inside) return;
  for (const { node } of nodes) {
    if (!node.retry?.recover || !node.body?.nodes.has('recover')) continue;
    const path = joinPointer(node.pointer, 'body', 'nodes', 'recover');
    report({ code: 'workflow.duplicate_id', path, message: 'The id "recover" is that of the recovery of the node around it.' });
  }
}

function checkSaved({ nodes, traits, report }: RuleContext): void {
  if (!traits.saved) return;
  const first = new Map<string, string>();
  for (const { node } of nodes) {
    if (node.saveAs === undefined) continue;
    const other = first.get(node.saveAs);
    if (other === undefined) first.set(node.saveAs, node.id);
    else {
      const message = `"${node.id}" and "${other}" both save as ${JSON.stringify(node.saveAs)}: the later one replaces the other's value.`;
      report({ code: 'workflow.output_collision', severity: 'warning', path: joinPointer(node.pointer, 'save_as'), message });
    }
  }
}
