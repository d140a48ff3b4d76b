// Creates the code of a setup module that does not import recipewright, so that the built command line can load it from any
// directory.

/** `actions` are bodies of functions `(fields, context)`. `more` is the code of further members of the setup. */
export function plainSetup(actions: Record<string, string>, more = ''): string {
  const list = Object.entries(actions).map(
    ([name, code]) => `action(${JSON.stringify(name)}, async (fields, context) => { ${code} }),`,
  );
  return `
    import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
    const schema = z.looseObject({});
    const facts = { description: 'An action of the tests', schema, examples: [], effect: 'reads', fallible: () => true };
    const action = (name, run) => ({ ...facts, name, run, secretFields: ['secret'] });
    export default { actions: [${list.join('\n')}], ${more} };
  `;
}
