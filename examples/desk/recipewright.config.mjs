/** @type {import('recipewright').ProjectConfig} */
export default {
  recipes: 'manifests/*.runtime.json',
  setup: './desk.setup.ts',
  // The logic node "assemble" is Python code. Code in a document runs only if the project allows it.
  python: true,
  inputs: { topic: 'tea', words_wanted: 20 },
  // The answer to the human node "approval". To reject the article, pass `--answer approval=fail`.
  answers: { approval: 'pass' },
};
