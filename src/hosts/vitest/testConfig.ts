// Decides in which Vitest project recipes run, and builds the `test` options that the plugin adds.
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

/** Builds the options that the plugin adds. Vite appends the lists to those of the config. */
export function buildTestConfig(
  { include, tags, strictTags, includeTaskLocation = true }: TestConfig,
  documents: DocumentModules,
): TestConfig {
  const declaredTags = new Set(tags?.map(({ name }) => name));
  return {
    include: include ? documents.patterns : [...defaultInclude, ...documents.patterns],
    tags: documents
      .listTags()
      .filter((name) => !declaredTags.has(name))
      .map((name) => ({ name })),
    // Claims are tags. An edit in watch mode may add a tag that the config does not declare.
    ...(strictTags === undefined && tags === undefined ? { strictTags: false } : {}),
    // Reports and filters such as `file:line` need the line in the document.
    includeTaskLocation,
  };
}

/** Adds tags to the resolved config, which all projects read when the run starts. Vitest 4 drops tags that a plugin adds to an inline project. */
export function addTags(config: { tags?: { name: string }[] }, documents: DocumentModules): void {
  config.tags ??= [];
  const declaredTags = new Set(config.tags.map(({ name }) => name));
  config.tags.push(...documents.listTags().flatMap((name) => (declaredTags.has(name) ? [] : { name })));
}

/** Returns undefined when the config does not name the project. */
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
 * The project that runs the recipes. `here`: the project of this config.
 * `own`: a project that the plugin adds, because a config with `test.projects` runs no tests itself. `elsewhere`: another project of the run.
 */
export type Placement = 'here' | 'own' | 'elsewhere';

/** The plugins of this process that added a project. Needed because every project that extends the root config inherits the plugin. */
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

/** Creates the added project. `extends: false`, because native tests would run twice otherwise, but imports of the setup module need `resolve`. */
export function recipeProject({ test = {}, resolve }: ViteConfig, plugin: object): object {
  return {
    extends: false,
    plugins: [plugin],
    ...(resolve === undefined ? {} : { resolve }),
    test: { name: chooseProjectName(test.projects ?? []), include: [] },
  };
}

function chooseProjectName(projects: readonly unknown[]): string {
  const usedNames = projects.map((project) => projectNameOf((Object(project) as ViteConfig).test ?? {}));
  return usedNames.includes('recipes') ? 'recipewright' : 'recipes';
}
