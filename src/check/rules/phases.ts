// Setup prepares, proof shows: nothing in a proof may make its own outcome (spec §2, §4, §9).
import { effectOf } from '../../actions/action.js';
import type { RecipeNode } from '../../dialects/recipe.js';
import { joinPointer } from '../../document/pointer.js';
import { phaseOf } from '../../run/phase.js';
import type { Checked, Rule } from '../rules.js';
import { servedBy, visibleTargets } from './served.js';

export const phaseRules: Rule = (checked) => {
  checkStartState(checked);
  const served = servedBy(checked);
  const visible = visibleTargets(checked, served);
  for (const { node } of checked.nodes) {
    const targets = served.get(node);
    checkBackdoor(checked, node, targets !== undefined);
    if (visible.size === 0 || targets === undefined) continue;
    const shown = [...targets].find((id) => visible.has(id));
    if (shown !== undefined) checkCommand(checked, node, shown);
  }
};

function checkStartState({ compiled, vocabulary, report, forProof }: Checked): void {
  const node = compiled.recipe.startState;
  const action = node && vocabulary.get(node.action);
  if (!node || !action || action.opens) return;
  const message = `"startState" is one call of a flow, but its action is ${JSON.stringify(node.action)}.`;
  const hint = 'Put the steps into a flow and call it, or move them to "setup".';
  report({ code: 'workflow.start_state_not_call', severity: forProof, path: '/startState/action', message, hint });
}

function checkBackdoor({ vocabulary, report }: Checked, node: RecipeNode, serves: boolean): void {
  const action = vocabulary.get(node.action);
  if (!action || effectOf(action, node) !== 'backdoor') return;
  const phase = phaseOf(node, action) ?? (serves ? 'proof' : undefined);
  if (phase !== 'proof' && phase !== 'assert') return;
  const message = `${node.action} changes state behind the user's back, which no proof may do.`;
  const hint = 'Move it to "setup" or "startState", or let the proof act as a user.';
  report({ code: 'workflow.backdoor_in_proof', path: joinPointer(node.pointer, 'action'), message, hint });
}

// A shell could make the outcome that the page is to show.
function checkCommand({ vocabulary, report, forProof }: Checked, node: RecipeNode, target: string): void {
  const action = vocabulary.get(node.action);
  if (!action?.shellFields || effectOf(action, node) === 'reads') return;
  const message = `${node.action} serves ${JSON.stringify(target)}, a claim about the UI, and could make what the page is to show.`;
  const hint = 'Prove it through the page, or declare "effect": "reads" when it changes nothing.';
  report({ code: 'workflow.command_for_visible_target', severity: forProof, path: node.pointer, message, hint });
}
