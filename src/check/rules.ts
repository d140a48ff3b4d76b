// The rules a recipe is held to before anything runs.
import type { Declaration } from '../actions/action.js';
import type { Vocabulary } from '../actions/vocabulary.js';
import type { Finding } from '../document/finding.js';
import { isAbout } from '../formats/classic/shape.js';
import type { Strictness } from '../formats/runtime/findingReport.js';
import type { Compiled, RecipeNode } from '../recipe/recipe.js';
import { type AtomAt, atomsOf } from './atoms.js';
import { type FactsOf, factsIn, type Traits, traitsOf } from './facts.js';
import { actionRules } from './rules/actions.js';
import { assertionRules } from './rules/assertions.js';
import { callRules } from './rules/calls.js';
import { flowRules } from './rules/flows.js';
import { graphRules } from './rules/graph.js';
import { idRules } from './rules/ids.js';
import { inputRules } from './rules/inputs.js';
import { intentRules } from './rules/intents.js';
import { phaseRules } from './rules/phases.js';
import { preConditionRules } from './rules/preConditions.js';
import { proofRules } from './rules/proof.js';
import { referenceRules } from './rules/references.js';
import { schemaRules } from './rules/schemas.js';
import type { Served } from './rules/served.js';
import { sourceRules } from './rules/sources.js';
import { type Memo, newMemo } from './transitions.js';

/** What a recipe may use: the actions of a host or a manifest, and what the project declares beside them. */
export type Declared = {
  vocabulary: Vocabulary;
  preconditions?: ReadonlySet<string>;
  operators?: ReadonlySet<string>;
  stateRefs?: ReadonlySet<string>;
  /** Inputs that the runner gives without being declared. */
  wellKnown?: ReadonlySet<string>;
};

export type CheckOptions = Declared & {
  /** Holds the recipe to what a proof for others needs. */
  production?: boolean;
  /** How strictly runtime recipes are held to the document of their format. */
  level?: Strictness;
};

export type Checked = Required<CheckOptions> & {
  compiled: Compiled;
  /** Every node, with the graph it stands in. */
  nodes: readonly NodeInGraph[];
  /** Every comparison of every assertion. */
  atoms: readonly AtomAt[];
  report: Report;
  /** What is known of a node's action; undefined when nobody declares it. */
  declared(node: RecipeNode): Declaration | undefined;
  memo: Memo;
  /** The same by the name of the action, in the shape that is read fastest. */
  factsOf: FactsOf;
  traits: Traits;
  /** Which claims a node serves, once a rule has asked. */
  served: Served | undefined;
  /** The nodes whose success says something, once a rule has asked. */
  counting: readonly RecipeNode[] | undefined;
  /** The severity of what only a proof for others must have. */
  forProof: 'error' | 'warning';
};

export type NodeInGraph = { node: RecipeNode; graph: 'workflow' | 'lifecycle' | 'flow' | 'body'; flow?: string };

/** What a rule says. A hint that takes a search is worked out when somebody reads it. */
export type Reported = Omit<Finding, 'place' | 'severity' | 'hint'> & {
  severity?: Finding['severity'];
  hint?: string | (() => string) | undefined;
};

export type Report = (finding: Reported) => void;

export type Rule = (checked: Checked) => void;

const rules: readonly Rule[] = [
  ...[graphRules, idRules, actionRules, intentRules, assertionRules, callRules, sourceRules],
  ...[inputRules, preConditionRules, referenceRules, flowRules, phaseRules, proofRules, schemaRules],
];

export function checkRecipe(compiled: Compiled, options: CheckOptions): Finding[] {
  const findings: Finding[] = [];
  const { gone } = compiled;
  // A graph with holes makes nodes look unreachable and claims look unproven.
  const holes =
    gone.length > 0 && gone.some((pointer) => /\/(nodes|flows|setup|teardown|startState|proofTargets)\b/.test(pointer));
  const told = { error: 0, warning: 0, note: 0 };
  const report: Report = (finding) => {
    const { severity = 'error' } = finding;
    if ((holes && severity === 'warning') || isAbout(finding.path, gone)) return;
    if (told[severity]++ < mostFindings) findings.push(toFinding(finding, compiled));
  };
  const { vocabulary, preconditions = none, operators = none, stateRefs = none, wellKnown = none, production = false } = options;
  const { level = 'compat' } = options;
  const nodes = nodesOf(compiled.recipe);
  const atoms = atomsOf(nodes, compiled);
  const factsOf = factsIn(vocabulary);
  const forProof = production ? 'error' : 'warning';
  const checked: Checked = {
    vocabulary,
    preconditions,
    operators,
    stateRefs,
    wellKnown,
    production,
    level,
    compiled,
    nodes,
    atoms,
    report,
    declared: (node) => vocabulary.get(node.action),
    memo: newMemo(),
    factsOf,
    traits: traitsOf(nodes, factsOf),
    served: undefined,
    counting: undefined,
    forProof,
  };
  for (const rule of rules) rule(checked);
  const more = told.error + told.warning + told.note - findings.length;
  if (more > 0) findings.push(notListed(more, compiled));
  return findings;
}

/** Of each severity. */
const mostFindings = 500;

// Where it stands is worked out when somebody looks: most warnings of most files are only counted.
function toFinding({ code, path, message, severity = 'error', hint }: Reported, compiled: Compiled): Finding {
  const finding = { code, severity, path: compiled.authored?.(path) ?? path, message } as Finding;
  Object.defineProperty(finding, 'place', { get: () => compiled.origin(path), enumerable: true });
  if (hint !== undefined) {
    const said = typeof hint === 'string' ? () => hint : hint;
    Object.defineProperty(finding, 'hint', { get: said, enumerable: true });
  }
  return finding;
}

function notListed(count: number, compiled: Compiled): Finding {
  const message = `${count} more findings are not listed.`;
  return { code: 'document.more_findings', severity: 'note', path: '', place: compiled.origin(''), message };
}

const none: ReadonlySet<string> = new Set();

/** Every node of a recipe, those inside of others among them. */
export function nodesOf(recipe: Compiled['recipe']): readonly NodeInGraph[] {
  if (lately?.recipe !== recipe) lately = { recipe, nodes: listNodes(recipe) };
  return lately.nodes;
}

/** Rules and hosts ask for the nodes of one recipe in a row. */
let lately: { recipe: Compiled['recipe']; nodes: readonly NodeInGraph[] } | undefined;

function listNodes(recipe: Compiled['recipe']): NodeInGraph[] {
  const found: NodeInGraph[] = [];
  for (const node of recipe.nodes.values()) addWithBody(found, { node, graph: 'workflow' });
  for (const node of recipe.setup) addWithBody(found, { node, graph: 'lifecycle' });
  if (recipe.startState) addWithBody(found, { node: recipe.startState, graph: 'lifecycle' });
  for (const node of recipe.teardown) addWithBody(found, { node, graph: 'lifecycle' });
  for (const flow of recipe.flows.values()) {
    for (const node of flow.nodes.values()) addWithBody(found, { node, graph: 'flow', flow: flow.id });
  }
  return found;
}

function addWithBody(found: NodeInGraph[], at: NodeInGraph): void {
  found.push(at);
  const { body, retry } = at.node;
  if (!body && !retry?.recover) return;
  const inside = at.flow === undefined ? { graph: 'body' as const } : { graph: 'body' as const, flow: at.flow };
  if (retry?.recover) addWithBody(found, { node: retry.recover, ...inside });
  for (const node of body?.nodes.values() ?? []) addWithBody(found, { node, ...inside });
}
