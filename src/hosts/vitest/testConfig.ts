// What the plugin adds to the `test` of a Vitest config.
import type { DocumentModules } from './documentModules.js';

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

// Vite puts lists together: what is given here comes after what the project has.
export function buildTestConfig(
  { include, tags, strictTags, includeTaskLocation = true }: TestConfig,
  documents: DocumentModules,
): TestConfig {
  const declaredTags = new Set(tags?.map(({ name }) => name));
  return {
    include: include ? documents.patterns : [...defaultInclude, ...documents.patterns],
    // Claims are tags, and a project that has none of its own need not declare those that come while it is watched.
    tags: documents
      .tags()
      .filter((name) => !declaredTags.has(name))
      .map((name) => ({ name })),
    ...(strictTags === undefined && tags === undefined ? { strictTags: false } : {}),
    // Reports and `file:line` know the line in the document.
    includeTaskLocation,
  };
}

/** Vitest 4 drops the tags that a plugin adds to the config of an inline project; what is here before the run is read by all projects. */
export function addTags(config: { tags?: { name: string }[] }, documents: DocumentModules): void {
  config.tags ??= [];
  const declaredTags = new Set(config.tags.map(({ name }) => name));
  config.tags.push(...documents.tags().flatMap((name) => (declaredTags.has(name) ? [] : { name })));
}

/** The name of a project, if its config has one. */
export function projectNameOf({ name }: TestConfig): string | undefined {
  const label: unknown = typeof name === 'string' ? name : (Object(name) as { label?: unknown }).label;
  return typeof label === 'string' && label !== '' ? label : undefined;
}

// Where the recipes of a config run. A config with `test.projects` runs no tests itself: there they get a project of their own.

/** As much of a Vite config as this reads. */
export type ViteConfig = {
  root?: string;
  configFile?: string | false;
  plugins?: unknown;
  resolve?: object;
  test?: TestConfig;
};

/** `own`: add a project for them. `elsewhere`: another project of the run has them. */
export type Placement = 'here' | 'own' | 'elsewhere';

/** Every project that extends the root config inherits its plugin: these plugins of this process gave their recipes to a project of their own. */
const pluginsWithOwnProject = new Set<string>();

export function placeRecipes(config: ViteConfig, options: object): Placement {
  const plugin = JSON.stringify([config.configFile, options]);
  const isProject = hasPlugin(config.plugins, 'vitest:project');
  if (isProject && pluginsWithOwnProject.has(plugin)) return 'elsewhere';
  if (isProject || !config.test?.projects?.length) {
    // The config may have been edited in watch mode.
    if (!isProject) pluginsWithOwnProject.delete(plugin);
    return 'here';
  }
  pluginsWithOwnProject.add(plugin);
  return 'own';
}

/** `extends: false`, because native tests would run twice otherwise; only what resolves the imports of the setup module is taken over. */
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

function hasPlugin(plugins: unknown, name: string): boolean {
  const all: unknown[] = [plugins].flat(10);
  return all.some((plugin) => (Object(plugin) as { name?: unknown }).name === name);
}
