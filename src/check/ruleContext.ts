import type { Declaration } from '../actions/action.js';
import type { Vocabulary } from '../actions/vocabulary.js';
import type { Finding } from '../document/finding.js';
import type { Strictness } from '../formats/runtime/findingReport.js';
import type { CompiledRecipe, RecipeNode } from '../recipe/recipe.js';
import type { FactLookup, RecipeTraits } from './actionFacts.js';
import type { ReachabilityCache } from './reachability.js';
import type { NodeInGraph, PlacedAtom } from './recipeNodes.js';

export type ServedTargets = ReadonlyMap<RecipeNode, ReadonlySet<string>>;
/** What a rule says. A hint that takes a search is worked out when somebody reads it. */

export type RuleFinding = Omit<Finding, 'place' | 'severity' | 'hint'> & {
  severity?: Finding['severity'];
  hint?: string | (() => string) | undefined;
};
export type Report = (finding: RuleFinding) => void;
/** What a recipe may use: the actions of a host or a manifest, and what the project declares beside them. */

export type KnownNames = {
  vocabulary: Vocabulary;
  preconditions?: ReadonlySet<string>;
  operators?: ReadonlySet<string>;
  stateRefs?: ReadonlySet<string>;
  /** Inputs that the runner gives without being declared. */
  wellKnown?: ReadonlySet<string>;
};
export type CheckOptions = KnownNames & {
  /** Holds the recipe to what a proof for others needs. */
  production?: boolean;
  /** How strictly runtime recipes are held to the document of their format. */
  level?: Strictness;
};
export type RuleContext = Required<CheckOptions> & {
  compiled: CompiledRecipe;
  /** Every node, with the graph it stands in. */
  nodes: readonly NodeInGraph[];
  /** Every comparison of every assertion. */
  atoms: readonly PlacedAtom[];
  report: Report;
  /** What is known of a node's action; undefined when nobody declares it. */
  declarationOf(node: RecipeNode): Declaration | undefined;
  reachability: ReachabilityCache;
  /** The same by the name of the action, in the shape that is read fastest. */
  factsOf: FactLookup;
  traits: RecipeTraits;
  /** Which claims a node serves, once a rule has asked. */
  servedTargets: ServedTargets | undefined;
  /** The nodes whose success says something, once a rule has asked. */
  countingNodes: readonly RecipeNode[] | undefined;
  /** The severity of what only a proof for others must have. */
  proofSeverity: 'error' | 'warning';
};
export type Rule = (checked: RuleContext) => void;
