// What rules ask of an action, in one shape for all: those of a registry are written each in their own, which is slow to read.
import type { Declaration } from '../actions/action.js';
import { officialVocabulary, type Vocabulary } from '../actions/vocabulary.js';
import { type Accepts, acceptsBy } from '../formats/classic/accepts.js';
import type { NodeInGraph } from './recipeNodes.js';

export type ActionFacts = {
  action: Declaration;
  /** Whether fields are right, as a quick yes or a doubt. */
  accepts: Accepts;
  internal: boolean;
  leads: boolean;
  opens: boolean;
  lacks: boolean;
  needs: boolean;
  mayBackdoor: boolean;
  patterns: boolean;
  schemas: boolean;
  sourceFields: readonly string[] | undefined;
};

const lookupCache = new WeakMap<Vocabulary, Map<string, ActionFacts | undefined>>();

export type FactLookup = (name: string) => ActionFacts | undefined;

export function createFactLookup(vocabulary: Vocabulary): FactLookup {
  const made = lookupCache.get(vocabulary) ?? new Map<string, ActionFacts | undefined>();
  lookupCache.set(vocabulary, made);
  return (name) => {
    const before = made.get(name);
    if (before) return before;
    const action = vocabulary.get(name);
    const facts = action && factsOf(action);
    if (facts) made.set(name, facts);
    return facts;
  };
}

/** An official action that is not declared is still known for what it is. */
export const officialFacts: FactLookup = createFactLookup(officialVocabulary);

function factsOf(action: Declaration): ActionFacts {
  const { effect } = action;
  return {
    action,
    accepts: acceptsBy(action.schema),
    internal: action.internal === true,
    leads: action.planNext !== undefined,
    opens: action.planRegion !== undefined,
    lacks: action.describeMissing !== undefined,
    needs: action.needs !== undefined,
    mayBackdoor: effect === 'backdoor' || typeof effect === 'function',
    patterns: action.patternFields !== undefined,
    schemas: action.schemas !== undefined,
    sourceFields: action.sourceFields,
  };
}

/** What the nodes of a recipe have at all: a rule about anything else has nothing to do. */
export type RecipeTraits = Pick<ActionFacts, 'opens' | 'needs' | 'mayBackdoor' | 'patterns' | 'schemas'> & {
  /** Nodes inside of others: bodies and recoveries. */
  inside: boolean;
  bindings: boolean;
  saved: boolean;
  params: boolean;
};

export function collectTraits(nodes: readonly NodeInGraph[], factsOf: FactLookup): RecipeTraits {
  const traits: RecipeTraits = {
    opens: false,
    needs: false,
    mayBackdoor: false,
    patterns: false,
    schemas: false,
    inside: false,
    bindings: false,
    saved: false,
    params: false,
  };
  for (const { node } of nodes) {
    traits.inside ||= node.body !== undefined || node.retry !== undefined;
    traits.bindings ||= node.bindings.size > 0;
    traits.saved ||= node.saveAs !== undefined;
    traits.params ||= node.fields.params !== undefined;
    const facts = factsOf(node.action);
    if (!facts) continue;
    traits.opens ||= facts.opens;
    traits.needs ||= facts.needs;
    traits.mayBackdoor ||= facts.mayBackdoor;
    traits.patterns ||= facts.patterns;
    traits.schemas ||= facts.schemas;
  }
  return traits;
}
