// Template recipes as a suite has them: one that passes, one that the reference would call good, and one that asks for a value.
export const templateFiles = {
  'recipes/greet.template.md': `---
description: Says hello to a file
args: word:string
artifacts:
  said: said.txt
imports:
  say: ./say.json
---

The greeting is kept.

\`\`\`json
[
  { "name": "say" },
  "tee said.txt"
]
\`\`\`
`,
  'recipes/say.json': { template: 'printf {word}' },
  'recipes/last.template.json': { template: ['true', { label: 'the last check', template: 'false' }] },
  'recipes/broken.template.md': '---\nargs: [unclosed\n---\n\n```template\ntrue\n```\n',
};

export const templateOptions = { recipes: { recipes: ['recipes/**/*.template.json', 'recipes/**/*.template.md'] } };

/** The environment that gives `word`. */
export const templateEnv = { RECIPE_INPUT_WORD: 'hello' };
