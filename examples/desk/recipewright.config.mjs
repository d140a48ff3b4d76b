/** @type {import('recipewright').ProjectConfig} */
export default {
  recipes: 'manifests/*.runtime.json',
  setup: './desk.setup.ts',
  // The logic node "assemble" is Python, and code of a document runs only where the project says so.
  python: true,
  inputs: { topic: 'tea', words_wanted: 20 },
  // What the editor says; `--answer approval=fail` goes the other way.
  answers: { approval: 'pass' },
};
