// Who does the work of the nodes in manifests/. Real agents would ask a model here; these are short enough to read.
import { defineAgent, defineLogic, defineRouter, defineSetup } from 'recipewright';

const wordsIn = (text: unknown): number => String(text).split(/\s+/).length;

const planner = defineAgent('Planner', { argv: ['node', 'planner.mjs'] });

/** Runs once for each section; what it gives is in the list that the map gives. */
const writer = defineAgent('Writer', ({ item, parameters }) => ({ output: `About ${item}, ${parameters.voice}.` }));

const editor = defineAgent('Editor', ({ state }) => ({ draft: `${state.draft} More could be said, and now it has been.` }));

/** Three of them sit in the council that judges the draft; what most of them say counts. */
const judge = (name: string, words: number) => defineAgent(name, ({ state }) => (wordsIn(state.draft) < words ? 'thin' : 'good'));

const checker = defineAgent('FactChecker', ({ inputs }) => ({ confidence: /\btea\b/.test(String(inputs.text)) ? 0.9 : 0.2 }));

const publish = defineLogic('desk.publish', ({ state }) => ({
  output: 'published',
  state: { status: 'published', words: wordsIn(state.draft) },
}));

const shelve = defineLogic('desk.shelve', () => ({ output: 'shelved', state: { status: 'shelved' } }));
const announce = defineLogic('desk.announce', ({ state }) => ({ output: `Read all ${state.words} words` }));
const feature = defineLogic('desk.feature', () => ({ output: 'on the front page' }));
const archive = defineLogic('desk.archive', () => ({ output: 'in the archive' }));

const verdict = defineRouter('desk.verdict', ({ state }) => (state.approved ? 'approved' : 'rejected'));

export default defineSetup({
  agents: [planner, writer, editor, checker, judge('Anna', 18), judge('Ben', 30), judge('Carla', 100)],
  logic: [publish, shelve, announce, feature, archive],
  routers: [verdict],
});
