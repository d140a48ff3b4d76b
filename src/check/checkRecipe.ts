// Applies the rules to a compiled recipe before it runs.

import type { Finding } from '../document/finding.js';
import { concernsRemoved } from '../formats/classic/readShape.js';
import type { CompiledRecipe } from '../recipe/recipe.js';
import { collectTraits, createFactLookup } from './actionFacts.js';
import { createReachabilityCache } from './reachability.js';
import { listAtoms, listNodes } from './recipeNodes.js';
import type { CheckOptions, Report, Rule, RuleContext, RuleFinding } from './ruleContext.js';
import { actionRules, schemaRules } from './rules/actions.js';
import { assertionRules } from './rules/assertions.js';
import { callRules } from './rules/calls.js';
import { flowRules } from './rules/flows.js';
import { graphRules } from './rules/graph.js';
import { idRules } from './rules/ids.js';
import { inputRules } from './rules/inputs.js';
import { intentRules } from './rules/intents.js';
import { preConditionRules } from './rules/preConditions.js';
import { proofRules } from './rules/proof.js';
import { referenceRules } from './rules/references.js';
import { phaseRules } from './rules/setupAndProof.js';
import { sourceRules } from './rules/sources.js';

const rules: readonly Rule[] = [
  graphRules,
  idRules,
  actionRules,
  intentRules,
  assertionRules,
  callRules,
  sourceRules,
  inputRules,
  preConditionRules,
  referenceRules,
  flowRules,
  phaseRules,
  proofRules,
  schemaRules,
];

const noNames: ReadonlySet<string> = new Set();

/** The limit for each severity. Further findings are only counted. */
const maxFindingsPerSeverity = 500;

export function checkRecipe(compiled: CompiledRecipe, options: CheckOptions): Finding[] {
  const findings: Finding[] = [];
  const { removedPointers } = compiled;
  // Without the removed nodes, other nodes look unreachable and proof targets look unproven.
  const hasHoles =
    removedPointers.length > 0 &&
    removedPointers.some((pointer) => /\/(nodes|flows|setup|teardown|startState|proofTargets)\b/.test(pointer));
  const counts = { error: 0, warning: 0, note: 0 };
  const report: Report = (finding) => {
    const { severity = 'error' } = finding;
    if ((hasHoles && severity === 'warning') || concernsRemoved(finding.path, removedPointers)) return;
    if (counts[severity]++ < maxFindingsPerSeverity) findings.push(toFinding(finding, compiled));
  };
  const { vocabulary, production = false } = options;
  const nodes = listNodes(compiled.recipe);
  const atoms = listAtoms(nodes, compiled);
  const factsOf = createFactLookup(vocabulary);
  const context: RuleContext = {
    vocabulary,
    preconditions: options.preconditions ?? noNames,
    operators: options.operators ?? noNames,
    stateRefs: options.stateRefs ?? noNames,
    wellKnown: options.wellKnown ?? noNames,
    production,
    level: options.level ?? 'compat',
    compiled,
    nodes,
    atoms,
    report,
    declarationOf: (node) => vocabulary.get(node.action),
    reachability: createReachabilityCache(),
    factsOf,
    traits: collectTraits(nodes, factsOf),
    servedTargets: undefined,
    countingNodes: undefined,
    proofSeverity: production ? 'error' : 'warning',
  };
  for (const rule of rules) rule(context);
  const unlisted = counts.error + counts.warning + counts.note - findings.length;
  if (unlisted > 0) findings.push(moreFindings(unlisted, compiled));
  return findings;
}

// The place and the hint are computed when they are read: most warnings of most files are only counted.
function toFinding({ code, path, message, severity = 'error', hint }: RuleFinding, compiled: CompiledRecipe): Finding {
  const finding = { code, severity, path: compiled.authored?.(path) ?? path, message } as Finding;
  Object.defineProperty(finding, 'place', { get: () => compiled.origin(path), enumerable: true });
  if (hint !== undefined) {
    const readHint = typeof hint === 'string' ? () => hint : hint;
    Object.defineProperty(finding, 'hint', { get: readHint, enumerable: true });
  }
  return finding;
}

function moreFindings(count: number, compiled: CompiledRecipe): Finding {
  const message = `${count} more findings are not listed.`;
  return { code: 'document.more_findings', severity: 'note', path: '', place: compiled.origin(''), message };
}
