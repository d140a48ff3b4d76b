// Checks that the intent of every node is a sentence for the user who watches the run (spec §5, §11.1).

import type { Vocabulary } from '../../actions/vocabulary.js';
import type { RecipeNode } from '../../recipe/recipe.js';
import { officialFacts } from '../actionFacts.js';
import type { Rule } from '../ruleContext.js';

const genericIntents = new Set(
  'executing recipe step,run,setup,ui,wallet,perps,test,step,execute,click,press,wait,screenshot,capture,assert,command,selector,test id,testid,node id,action,params,payload'.split(
    ',',
  ),
);

export const intentRules: Rule = ({ nodes, vocabulary, factsOf, compiled, report }) => {
  const { title } = compiled.recipe;
  const actions = forbiddenIntents(vocabulary);
  for (const { node } of nodes) {
    const facts = factsOf(node.action) ?? officialFacts(node.action);
    if (facts?.decidesNext && facts.action.planNext?.(node).kind === 'end') continue;
    const problem =
      node.intent !== undefined && node.intent === title
        ? 'has the title of the recipe as its intent'
        : findIntentProblem(node, actions);
    if (problem === undefined) continue;
    const hint = 'Write a short sentence that says what this step does, for example "Open the cart of the buyer".';
    report({ code: 'workflow.invalid_intent', path: node.pointer, message: `Node ${JSON.stringify(node.id)} ${problem}.`, hint });
  }
};

function findIntentProblem(node: RecipeNode, actions: ForbiddenIntents): string | undefined {
  if (node.intent === undefined || node.intent.trim() === '') return 'has no intent';
  if (isSentence(node, actions.longest)) return undefined;
  const normalized = normalize(node.intent);
  if (genericIntents.has(normalized)) return `has an intent that describes nothing: ${JSON.stringify(node.intent)}`;
  const { selector, test_id: testId, testID, ref } = node.fields;
  const repeats =
    actions.all.has(normalized) || [node.id, selector, testId, testID, ref].some((name) => repeatsName(name, normalized));
  return repeats ? `has a name as its intent: ${JSON.stringify(node.intent)}` : undefined;
}

const separatorRun = /[\s_-]{2}/;

// A quick test that most intents pass: the intent is longer than every name that it could repeat, and has no repeated separators.
function isSentence({ intent = '', id, fields: { selector, test_id: testId, testID, ref } }: RecipeNode, name: number): boolean {
  const longest = Math.max(name, id.length, lengthOf(selector), lengthOf(testId), lengthOf(testID), lengthOf(ref));
  return intent.length > longest + 1 && !separatorRun.test(intent);
}

function lengthOf(name: unknown): number {
  return typeof name === 'string' ? name.length : 0;
}

// Normalizing a name never makes it longer, so most names differ by their length alone.
function repeatsName(name: unknown, intent: string): boolean {
  return typeof name === 'string' && name.length >= intent.length && normalize(name) === intent;
}

/** `all` are the names of actions, which no intent may repeat. `longest` is the length of the longest action name or generic intent. */
type ForbiddenIntents = { all: ReadonlySet<string>; longest: number };

const forbiddenByVocabulary = new WeakMap<object, ForbiddenIntents>();

function forbiddenIntents(vocabulary: Vocabulary): ForbiddenIntents {
  const cached = forbiddenByVocabulary.get(vocabulary);
  if (cached) return cached;
  const all = new Set([...vocabulary.keys()].map(normalize));
  const names = { all, longest: Math.max(...[...all, ...genericIntents].map((name) => name.length)) };
  forbiddenByVocabulary.set(vocabulary, names);
  return names;
}

function normalize(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
