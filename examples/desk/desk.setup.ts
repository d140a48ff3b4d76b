// The agents, logic functions and routers that the manifests in manifests/ name. Real agents would ask a language model; these
// return fixed texts.
import { defineAgent, defineLogic, defineRouter, defineSetup } from 'recipewright';

const countWords = (text: unknown): number => String(text).split(/\s+/).length;

const planner = defineAgent('Planner', { argv: ['node', 'planner.mjs'] });

/** Runs once for each section. The map node collects the outputs in a list. */
const writer = defineAgent('Writer', ({ item, parameters }) => ({ output: `About ${item}, ${parameters.voice}.` }));

const editor = defineAgent('Editor', ({ state }) => ({
  draft: `${state.draft} The editor adds one more sentence to the draft.`,
}));

/** Three judges vote in the council that rates the draft. The answer of the majority counts. */
const defineJudge = (name: string, minWords: number) =>
  defineAgent(name, ({ state }) => (countWords(state.draft) < minWords ? 'thin' : 'good'));

const checker = defineAgent('FactChecker', ({ inputs }) => ({ confidence: /\btea\b/.test(String(inputs.text)) ? 0.9 : 0.2 }));

const publish = defineLogic('desk.publish', ({ state }) => ({
  output: 'published',
  state: { status: 'published', words: countWords(state.draft) },
}));

const shelve = defineLogic('desk.shelve', () => ({ output: 'shelved', state: { status: 'shelved' } }));
const announce = defineLogic('desk.announce', ({ state }) => ({ output: `Read all ${state.words} words` }));
const feature = defineLogic('desk.feature', () => ({ output: 'on the front page' }));
const archive = defineLogic('desk.archive', () => ({ output: 'in the archive' }));

const verdict = defineRouter('desk.verdict', ({ state }) => (state.approved ? 'approved' : 'rejected'));

export default defineSetup({
  agents: [planner, writer, editor, checker, defineJudge('Anna', 18), defineJudge('Ben', 30), defineJudge('Carla', 100)],
  logic: [publish, shelve, announce, feature, archive],
  routers: [verdict],
});
