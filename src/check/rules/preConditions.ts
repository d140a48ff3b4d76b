// Checks that every precondition is declared, because a precondition without a checker must not count as met (spec §5).

import { didYouMean } from '../../document/didYouMean.js';
import type { Rule } from '../ruleContext.js';

export const preConditionRules: Rule = ({ compiled, preconditions, report }) => {
  for (const { id, pointer } of compiled.recipe.preConditions) {
    if (preconditions.has(id)) continue;
    const message = `The precondition ${JSON.stringify(id)} is not declared by a manifest or setup module, so it cannot be checked.`;
    const hint =
      preconditions.size > 0
        ? didYouMean(id, [...preconditions])
        : 'Declare the precondition with a checker in the setup module.';
    report({ code: 'recipe.precondition_not_declared_by_manifest', path: pointer, message, hint });
  }
};
