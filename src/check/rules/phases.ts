// Setup prepares, proof shows: nothing in a proof may make its own outcome (spec §2, §4, §9).
import { effectOf } from '../../actions/action.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import type { Checked, Rule } from '../rules.js';
import { checkBackdoors } from './backdoors.js';
import { servedBy, visibleTargets } from './served.js';

export const phaseRules: Rule = (checked) => {
  checkStartState(checked);
  const served = servedBy(checked);
  const visible = visibleTargets(checked, served);
  if (checked.traits.mayBackdoor) checkBackdoors(checked);
  if (visible.size === 0) return;
  for (const [node, targets] of served) {
    const shown = [...targets].find((id) => visible.has(id));
    if (shown !== undefined) checkCommand(checked, node, shown);
  }
};

function checkStartState({ compiled, declared, report, forProof }: Checked): void {
  const node = compiled.recipe.startState;
  const action = node && declared(node);
  if (!node || !action || action.opens || action.leads) return;
  const message = `"startState" is one call of a flow, but its action is ${JSON.stringify(node.action)}.`;
  const hint = 'Put the steps into a flow and call it, or move them to "setup".';
  report({ code: 'workflow.start_state_not_call', severity: forProof, path: '/startState/action', message, hint });
}

// A shell could make the outcome that the page is to show.
function checkCommand({ declared, report, forProof }: Checked, node: RecipeNode, target: string): void {
  const action = declared(node);
  if (!action?.shellFields || effectOf(action, node) === 'reads') return;
  const message = `${node.action} serves ${JSON.stringify(target)}, a claim about the UI, and could make what the page is to show.`;
  const hint = 'Prove it through the page, or declare "effect": "reads" when it changes nothing.';
  report({ code: 'workflow.command_for_visible_target', severity: forProof, path: node.pointer, message, hint });
}
