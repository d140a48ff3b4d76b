// Plans the changes to a project that make its recipes tests. Writes nothing.
import { omitUndefined } from '../../document/omitUndefined.js';
import { wrapExport } from './wrapExport.js';

export type HostName = 'playwright' | 'vitest';

/** `after`: the new content of the file. `before`: its current content, which is missing for a new file. */
export type Change = { file: string; before?: string; after: string };

/** `advice`: changes that a person has to make, because init cannot make them safely. `setup`: the file with the project's own actions.
 * `isConfigured`: whether the config already imports this package. */
export type Plan = { host: HostName; changes: Change[]; advice: string[]; setup: string; isConfigured: boolean };

export type Project = {
  host: HostName;
  /** Returns the content of a file of the project. */
  read(file: string): string | undefined;
};

const globs = 'recipes/**/*.{recipe,flows}.json';

export function planInit({ host, read }: Project): Plan {
  const isTyped = ['tsconfig.json', 'playwright.config.ts', 'vitest.config.ts', 'vite.config.ts'].some(
    (file) => read(file) !== undefined,
  );
  const setup = `recipes.setup.${isTyped ? 'ts' : 'mjs'}`;
  const advice: string[] = [];
  const changes = [
    planConfig(host, read, setup, advice),
    planNewFile(setup, setupModule, read),
    planNewFile('recipes/example.recipe.json', exampleRecipe, read),
    planGitignore(read),
    planEditorSettings(read, advice),
  ];
  return {
    host,
    changes: changes.filter((change) => change !== undefined),
    advice,
    setup,
    isConfigured: isConfigured(host, read),
  };
}

export const configFiles: Readonly<Record<HostName, readonly string[]>> = {
  playwright: ['ts', 'mts', 'js', 'mjs', 'cjs'].map((ending) => `playwright.config.${ending}`),
  vitest: ['vitest', 'vite'].flatMap((name) => ['ts', 'mts', 'js', 'mjs'].map((ending) => `${name}.config.${ending}`)),
};

function isConfigured(host: HostName, read: Project['read']): boolean {
  const file = configFiles[host].find((name) => read(name) !== undefined);
  return file !== undefined && read(file)?.includes(`recipewright/${host}`) === true;
}

function planConfig(host: HostName, read: Project['read'], setup: string, advice: string[]): Change | undefined {
  const file =
    configFiles[host].find((name) => read(name) !== undefined) ?? `${host}.config.${setup.endsWith('.ts') ? 'ts' : 'mjs'}`;
  const before = read(file);
  if (isConfigured(host, read)) return undefined;
  const after = before === undefined ? createConfig(host, setup) : wrapConfig(host, before, setup);
  if (after !== undefined) return { file, ...omitUndefined({ before }), after };
  advice.push(`${file} has a form that init cannot change safely. Add this by hand:\n\n${configExample(setup)}`);
  return undefined;
}

function wrapConfig(host: HostName, text: string, setup: string): string | undefined {
  const options = `{ recipes: '${globs}', setup: './${setup}' }`;
  if (host === 'playwright')
    return wrapExport(
      text,
      { name: 'withRecipes', from: 'recipewright/playwright' },
      (config) => `withRecipes(${config}, ${options})`,
    );
  return wrapExport(text, { name: 'withRecipes', from: 'recipewright/vitest' }, (config) => `withRecipes(${config}, ${options})`);
}

function createConfig(host: HostName, setup: string): string {
  const [define, library] = host === 'playwright' ? ['defineConfig', '@playwright/test'] : ['defineConfig', 'vitest/config'];
  return `import { ${define} } from '${library}';\nimport { withRecipes } from 'recipewright/${host}';\n\nexport default ${configExample(setup)};\n`;
}

export function configExample(setup: string): string {
  return `withRecipes(defineConfig({}), { recipes: '${globs}', setup: './${setup}' })`;
}

function planNewFile(file: string, after: string, read: Project['read']): Change | undefined {
  return read(file) === undefined ? { file, after } : undefined;
}

const resultsPattern = 'recipe-results/';

function planGitignore(read: Project['read']): Change | undefined {
  const before = read('.gitignore');
  if (before?.split('\n').some((line) => line.trim().replace(/^\/|\/$/g, '') === 'recipe-results')) return undefined;
  const gap = before === undefined || before === '' || before.endsWith('\n') ? '' : '\n';
  return { file: '.gitignore', ...omitUndefined({ before }), after: `${before ?? ''}${gap}${resultsPattern}\n` };
}

const schemas = [
  { fileMatch: ['*.recipe.json'], url: './node_modules/recipewright/schemas/recipe-v1.schema.json' },
  { fileMatch: ['*.flows.json'], url: './node_modules/recipewright/schemas/flow-catalog-v1.schema.json' },
  { fileMatch: ['*.flowspec.json'], url: './node_modules/recipewright/schemas/flow_spec.schema.json' },
];

function planEditorSettings(read: Project['read'], advice: string[]): Change | undefined {
  const file = '.vscode/settings.json';
  const before = read(file);
  if (before?.includes('recipewright/schemas/')) return undefined;
  const settings = before === undefined || before.trim() === '' ? {} : parseSettings(before);
  if (!settings) {
    const lines = JSON.stringify({ 'json.schemas': schemas }, null, 2);
    advice.push(`${file} has comments or is not JSON, so init does not change it. For completion in recipes, add:\n\n${lines}`);
    return undefined;
  }
  const existingSchemas = Array.isArray(settings['json.schemas']) ? (settings['json.schemas'] as unknown[]) : [];
  const after = `${JSON.stringify({ ...settings, 'json.schemas': [...existingSchemas, ...schemas] }, null, 2)}\n`;
  return { file, ...omitUndefined({ before }), after };
}

function parseSettings(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    // SyntaxError: editors allow comments in this file.
    return undefined;
  }
}

// The files that init creates in a new project.
const exampleRecipe = `{
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

const setupModule = `// The project's own actions, for all recipes: https://www.npmjs.com/package/recipewright describes what they may do.
import { defineAction, defineSetup, z } from 'recipewright';

const sayHello = defineAction({
  name: 'example.say_hello',
  description: 'Greets a person. Replace this action with the ones that your app needs.',
  schema: z.strictObject({ name: z.string().min(1) }),
  examples: [{ description: 'Greet Ada.', node: { action: 'example.say_hello', name: 'Ada' } }],
  effect: 'none',
  run: ({ name }) => ({ output: { greeting: \`Hello, \${name}!\` } }),
});

export default defineSetup({ actions: [sayHello] });
`;
