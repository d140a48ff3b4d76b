// A suite of template recipes: one that passes, one that passes only in the reference implementation, and one that is invalid.
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
  "tee said.txt {state_dir}/copy"
]
\`\`\`
`,
  'recipes/say.json': { template: 'printf {word}' },
  'recipes/last.template.json': { template: ['true', { label: 'the last check', template: 'false' }] },
  'recipes/broken.template.md': '---\nargs: [unclosed\n---\n\n```template\ntrue\n```\n',
};

export const templateOptions = { recipes: { recipes: ['recipes/**/*.template.json', 'recipes/**/*.template.md'] } };

/** The environment variable that sets the input `word`. */
export const templateEnv = { RECIPE_INPUT_WORD: 'hello' };

/** Async recipes: one leaves a process running, the other kills the process that runs it. */
export const asyncFiles = {
  'recipes/a-stays.template.json': { async: true, template: ['sh stay.sh', 'true'] },
  'recipes/b-dies.template.json': { async: true, template: ['true', "sh -c 'kill -9 $PPID'"] },
  'stay.sh': 'sleep 600 > /dev/null 2>&1 & echo $! > stays.pid\n',
};
