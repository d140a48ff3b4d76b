// Creates the code of a setup module with custom actions, each from the body of a function `(fields, context)`.

/** `more` is code before the actions: imports, fixtures, helpers. */
export function setupFile(actions: Record<string, string>, more = ''): string {
  const list = Object.entries(actions).map(
    ([name, code]) => `action(${JSON.stringify(name)}, async (fields, context) => { ${code} }),`,
  );
  return `
    import { defineAction, defineSetup, RecipeError } from 'recipewright';
    import { z } from 'zod';
    ${more}

    const action = (name, run) =>
      defineAction({ name, description: name, schema: z.looseObject({}), examples: [], effect: 'reads', fallible: () => true, run });

    export default defineSetup({
      actions: [
        ${list.join('\n        ')}
      ],
    });
  `;
}
