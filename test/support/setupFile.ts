// The text of a setup module: a project's own actions, each given as the body of a function `(fields, context)`.

/** `more` goes before the actions: imports, fixtures, helpers. */
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
