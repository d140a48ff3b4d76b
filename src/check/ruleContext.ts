// The context in which a rule runs: the compiled recipe, the names it may use, and facts that several rules share.

import type { Declaration } from '../actions/action.js';
import type { Vocabulary } from '../actions/vocabulary.js';
import type { Finding } from '../document/finding.js';
import type { Strictness } from '../formats/runtime/findingReport.js';
import type { CompiledRecipe, RecipeNode } from '../recipe/recipe.js';
import type { FactLookup, RecipeTraits } from './actionFacts.js';
import type { ReachabilityCache } from './reachability.js';
import type { NodeInGraph, PlacedAtom } from './recipeNodes.js';

export type Rule = (context: RuleContext) => void;

/** The proof targets that each node serves. */
export type ServedTargets = ReadonlyMap<RecipeNode, ReadonlySet<string>>;

/** A finding without its place. A hint that needs a search is a function, called only when the hint is printed. */
export type RuleFinding = Omit<Finding, 'place' | 'severity' | 'hint'> & {
  severity?: Finding['severity'];
  hint?: string | (() => string) | undefined;
};

export type Report = (finding: RuleFinding) => void;

/** The names that a recipe may use: the actions of a host or a manifest, and those that the project declares. */
type KnownNames = {
  vocabulary: Vocabulary;
  preconditions?: ReadonlySet<string>;
  operators?: ReadonlySet<string>;
  stateRefs?: ReadonlySet<string>;
  /** Inputs that the runner supplies, so that a recipe need not declare them. */
  wellKnown?: ReadonlySet<string>;
};

export type CheckOptions = KnownNames & {
  /** Reports everything that is missing for a proof that other people rely on. */
  production?: boolean;
  /** How strictly runtime recipes must follow the specification of their format. */
  level?: Strictness;
};

export type RuleContext = Required<CheckOptions> & {
  compiled: CompiledRecipe;
  /** Every node, with the graph it belongs to. */
  nodes: readonly NodeInGraph[];
  /** Every comparison of every assertion. */
  atoms: readonly PlacedAtom[];
  report: Report;
  /** The declaration of a node's action, or undefined when the action is not declared. */
  declarationOf(node: RecipeNode): Declaration | undefined;
  reachability: ReachabilityCache;
  /** The facts about an action, by its name. */
  factsOf: FactLookup;
  traits: RecipeTraits;
  /** Set by the first rule that needs it. */
  servedTargets: ServedTargets | undefined;
  /** The nodes whose success counts as proof. Set by the first rule that needs them. */
  countingNodes: readonly RecipeNode[] | undefined;
  /** The severity of findings that matter only for a proof that other people rely on: `error` with `production`. */
  proofSeverity: 'error' | 'warning';
};
