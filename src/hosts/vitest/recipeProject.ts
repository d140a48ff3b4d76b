// Where the recipes of a config run. A config with `test.projects` runs no tests itself: there they get a project of their own.
import { nameOf, type TestConfig } from './testConfig.js';

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
const withOwnProject = new Set<string>();

export function placeRecipes(config: ViteConfig, options: object): Placement {
  const plugin = JSON.stringify([config.configFile, options]);
  const isProject = hasPlugin(config.plugins, 'vitest:project');
  if (isProject && withOwnProject.has(plugin)) return 'elsewhere';
  if (isProject || !config.test?.projects?.length) {
    // The config may have been edited in watch mode.
    if (!isProject) withOwnProject.delete(plugin);
    return 'here';
  }
  withOwnProject.add(plugin);
  return 'own';
}

/** `extends: false`, because native tests would run twice otherwise; only what resolves the imports of the setup module is taken over. */
export function recipeProject({ test = {}, resolve }: ViteConfig, plugin: object): object {
  return {
    extends: false,
    plugins: [plugin],
    ...(resolve === undefined ? {} : { resolve }),
    test: { name: freeName(test.projects ?? []), include: [] },
  };
}

function freeName(projects: readonly unknown[]): string {
  const taken = projects.map((project) => nameOf((Object(project) as ViteConfig).test ?? {}));
  return taken.includes('recipes') ? 'recipewright' : 'recipes';
}

function hasPlugin(plugins: unknown, name: string): boolean {
  const all: unknown[] = [plugins].flat(10);
  return all.some((plugin) => (Object(plugin) as { name?: unknown }).name === name);
}
