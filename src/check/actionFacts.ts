// The facts about an action that the rules read. All facts have the same object shape, which V8 reads faster than declarations of various
// shapes.

import type { Declaration } from '../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../actions/vocabulary.js';
import type { NodeInGraph } from './recipeNodes.js';

type ActionFacts = {
  action: Declaration;
  isInternal: boolean;
  decidesNext: boolean;
  opensRegion: boolean;
  hasRequirements: boolean;
  hasNeeds: boolean;
  mayBackdoor: boolean;
  hasPatterns: boolean;
  hasSchemas: boolean;
  sourceFields: readonly string[] | undefined;
};

const lookupCache = new WeakMap<Vocabulary, Map<string, ActionFacts>>();

export type FactLookup = (name: string) => ActionFacts | undefined;

export function createFactLookup(vocabulary: Vocabulary): FactLookup {
  const known = lookupCache.get(vocabulary) ?? new Map<string, ActionFacts>();
  lookupCache.set(vocabulary, known);
  return (name) => {
    const cached = known.get(name);
    if (cached) return cached;
    const action = vocabulary.get(name);
    const facts = action && factsOf(action);
    if (facts) known.set(name, facts);
    return facts;
  };
}

/** The facts about official actions, including those that the recipe's host does not declare. */
export const officialFacts: FactLookup = createFactLookup(officialVocabulary);

function factsOf(action: Declaration): ActionFacts {
  const { effect } = action;
  return {
    action,
    isInternal: action.internal === true,
    decidesNext: action.planNext !== undefined,
    opensRegion: action.planRegion !== undefined,
    hasRequirements: action.describeMissing !== undefined,
    hasNeeds: action.needs !== undefined,
    mayBackdoor: effect === 'backdoor' || typeof effect === 'function',
    hasPatterns: action.patternFields !== undefined,
    hasSchemas: action.schemas !== undefined,
    sourceFields: action.sourceFields,
  };
}

/** Features that at least one node of a recipe uses. A rule about any other feature returns at once. */
export type RecipeTraits = Pick<ActionFacts, 'opensRegion' | 'hasNeeds' | 'mayBackdoor' | 'hasPatterns' | 'hasSchemas'> & {
  /** Nodes inside other nodes: bodies and recoveries. */
  hasInnerNodes: boolean;
  hasBindings: boolean;
  savesOutputs: boolean;
  hasParams: boolean;
};

export function collectTraits(nodes: readonly NodeInGraph[], factsOf: FactLookup): RecipeTraits {
  const traits: RecipeTraits = {
    opensRegion: false,
    hasNeeds: false,
    mayBackdoor: false,
    hasPatterns: false,
    hasSchemas: false,
    hasInnerNodes: false,
    hasBindings: false,
    savesOutputs: false,
    hasParams: false,
  };
  for (const { node } of nodes) {
    traits.hasInnerNodes ||= node.body !== undefined || node.retry !== undefined;
    traits.hasBindings ||= node.bindings.size > 0;
    traits.savesOutputs ||= node.saveAs !== undefined;
    traits.hasParams ||= node.fields.params !== undefined;
    const facts = factsOf(node.action);
    if (!facts) continue;
    traits.opensRegion ||= facts.opensRegion;
    traits.hasNeeds ||= facts.hasNeeds;
    traits.mayBackdoor ||= facts.mayBackdoor;
    traits.hasPatterns ||= facts.hasPatterns;
    traits.hasSchemas ||= facts.hasSchemas;
  }
  return traits;
}
