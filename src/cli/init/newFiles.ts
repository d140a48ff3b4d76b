// The files a new project gets.
export const exampleRecipe = `{
  "$schema": "../node_modules/recipewright/schemas/recipe-v1.schema.json",
  "schema_version": 1,
  "title": "Example",
  "proofTargets": [{ "id": "AC1", "claim": "The project runs on a version of Node that is still maintained." }],
  "validate": {
    "workflow": {
      "entry": "ask-version",
      "nodes": {
        "ask-version": {
          "action": "command",
          "argv": ["node", "--version"],
          "intent": "Ask Node for its version",
          "proofTarget": "AC1",
          "assert": { "path": "$.stdout", "operator": "matches", "value": "^v([2-9][0-9]|[1-9][0-9]{2})[.]" },
          "next": "done"
        },
        "done": { "action": "end", "status": "pass" }
      }
    }
  }
}
`;

export const setupModule = `// The project's own actions, for all recipes: https://www.npmjs.com/package/recipewright describes what they may do.
import { defineAction, defineSetup, z } from 'recipewright';

const sayHello = defineAction({
  name: 'example.say_hello',
  description: 'Greets somebody. Replace it by what your product needs.',
  schema: z.strictObject({ name: z.string().min(1) }),
  examples: [{ description: 'Greet Ada.', node: { action: 'example.say_hello', name: 'Ada' } }],
  effect: 'none',
  run: ({ name }) => ({ output: { greeting: \`Hello, \${name}!\` } }),
});

export default defineSetup({ actions: [sayHello] });
`;
