// The intent is a sentence for the person who watches (spec §5, §11.1).
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
    if (facts?.leads && facts.action.planNext?.(node).kind === 'end') continue;
    const problem =
      node.intent !== undefined && node.intent === title
        ? 'repeats the title of the recipe as its intent'
        : intentProblem(node, actions);
    if (problem === undefined) continue;
    const hint = 'Write a short sentence that says what is being done now, for example "Open the cart of the buyer".';
    report({ code: 'workflow.invalid_intent', path: node.pointer, message: `Node ${JSON.stringify(node.id)} ${problem}.`, hint });
  }
};

function intentProblem(node: RecipeNode, actions: ForbiddenIntents): string | undefined {
  if (node.intent === undefined || node.intent.trim() === '') return 'has no intent';
  if (isSentence(node, actions.longest)) return undefined;
  const normalized = normalise(node.intent);
  if (genericIntents.has(normalized)) return `has an intent that says nothing: ${JSON.stringify(node.intent)}`;
  const { selector, test_id: testId, testID, ref } = node.fields;
  const repeats =
    actions.all.has(normalized) || [node.id, selector, testId, testID, ref].some((name) => repeatsName(name, normalized));
  return repeats ? `repeats a name as its intent: ${JSON.stringify(node.intent)}` : undefined;
}

const separatorRun = /[\s_-]{2}/;

// Longer than any name it could repeat, and not by its blanks: what most intents are, told without spelling it out.
function isSentence({ intent = '', id, fields: { selector, test_id: testId, testID, ref } }: RecipeNode, name: number): boolean {
  const longest = Math.max(name, id.length, lengthOf(selector), lengthOf(testId), lengthOf(testID), lengthOf(ref));
  return intent.length > longest + 1 && !separatorRun.test(intent);
}

function lengthOf(name: unknown): number {
  return typeof name === 'string' ? name.length : 0;
}

// Spelling it out changes no length but that of runs of separators, so most names are told apart by theirs.
function repeatsName(name: unknown, said: string): boolean {
  return typeof name === 'string' && name.length >= said.length && normalise(name) === said;
}

/** What no intent may be: the generic words and the names of actions; `longest` of them all. */
type ForbiddenIntents = { all: ReadonlySet<string>; longest: number };

const forbiddenByVocabulary = new WeakMap<object, ForbiddenIntents>();

function forbiddenIntents(vocabulary: Vocabulary): ForbiddenIntents {
  const before = forbiddenByVocabulary.get(vocabulary);
  if (before) return before;
  const all = new Set([...vocabulary.keys()].map(normalise));
  const names = { all, longest: Math.max(...[...all, ...genericIntents].map((name) => name.length)) };
  forbiddenByVocabulary.set(vocabulary, names);
  return names;
}

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ');
}
