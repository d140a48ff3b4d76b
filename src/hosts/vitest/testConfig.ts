// Decides where the recipes of a config run, and what the plugin adds to its `test`.
import type { DocumentModules } from './documentModules.js';
import { hasProjectPlugin } from './internals/projectPlugin.js';

export type TestConfig = {
  name?: unknown;
  projects?: unknown[];
  include?: string[];
  tags?: { name: string }[];
  strictTags?: boolean;
  includeTaskLocation?: boolean;
  reporters?: unknown;
};

const defaultInclude = ['**/*.{test,spec}.?(c|m)[jt]s?(x)'];

/** Vite appends lists that a plugin returns to those of the config. */
export function buildTestConfig(
  { include, tags, strictTags, includeTaskLocation = true }: TestConfig,
  documents: DocumentModules,
): TestConfig {
  const declaredTags = new Set(tags?.map(({ name }) => name));
  return {
    include: include ? documents.patterns : [...defaultInclude, ...documents.patterns],
    tags: documents
      .tags()
      .filter((name) => !declaredTags.has(name))
      .map((name) => ({ name })),
    // Claims are tags. An edit in watch mode may add one that the config could not declare.
    ...(strictTags === undefined && tags === undefined ? { strictTags: false } : {}),
    // Reports and `file:line` need the line in the document.
    includeTaskLocation,
  };
}

/** Vitest 4 drops the tags that a plugin adds to an inline project, but all projects read the resolved config when the run starts. */
export function addTags(config: { tags?: { name: string }[] }, documents: DocumentModules): void {
  config.tags ??= [];
  const declaredTags = new Set(config.tags.map(({ name }) => name));
  config.tags.push(...documents.tags().flatMap((name) => (declaredTags.has(name) ? [] : { name })));
}

/** Undefined when the config does not name the project. */
export function projectNameOf({ name }: TestConfig): string | undefined {
  const label: unknown = typeof name === 'string' ? name : (Object(name) as { label?: unknown }).label;
  return typeof label === 'string' && label !== '' ? label : undefined;
}

/** The fields of a Vite config that the plugin reads. */
export type ViteConfig = {
  root?: string;
  configFile?: string | false;
  plugins?: unknown;
  resolve?: object;
  test?: TestConfig;
};

/**
 * `own`: in a project that the plugin adds, because a config with `test.projects` runs no tests itself.
 * `elsewhere`: in another project of the run.
 */
export type Placement = 'here' | 'own' | 'elsewhere';

/** The plugins of this process that added a project. Every project that extends the root config inherits the plugin. */
const pluginsWithOwnProject = new Set<string>();

export function placeRecipes(config: ViteConfig, options: object): Placement {
  const plugin = JSON.stringify([config.configFile, options]);
  const isProject = hasProjectPlugin(config.plugins);
  if (isProject && pluginsWithOwnProject.has(plugin)) return 'elsewhere';
  if (isProject || !config.test?.projects?.length) {
    // The config may have been edited in watch mode.
    if (!isProject) pluginsWithOwnProject.delete(plugin);
    return 'here';
  }
  pluginsWithOwnProject.add(plugin);
  return 'own';
}

/** `extends: false`, because native tests would run twice otherwise. Imports of the setup module still need `resolve`. */
export function recipeProject({ test = {}, resolve }: ViteConfig, plugin: object): object {
  return {
    extends: false,
    plugins: [plugin],
    ...(resolve === undefined ? {} : { resolve }),
    test: { name: unusedName(test.projects ?? []), include: [] },
  };
}

function unusedName(projects: readonly unknown[]): string {
  const usedNames = projects.map((project) => projectNameOf((Object(project) as ViteConfig).test ?? {}));
  return usedNames.includes('recipes') ? 'recipewright' : 'recipes';
}
