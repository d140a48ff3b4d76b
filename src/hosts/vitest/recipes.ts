// The Vite plugin that makes test modules of documents.
import { resolve } from 'node:path';
import { disregardFiles, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
import { pathsIn, reporterFiles } from '../shared/reporterFiles.js';
import { DocumentModules, type RecipesOptions } from './documentModules.js';
import { bypassViteJson, type VitePlugin } from './internals/bypassViteJson.js';
import { expectProject, includeProject } from './plannedRecipes.js';
import { configuredOutputDir, placeReporters, type Reporters } from './reporterConfig.js';
import { openRunDir } from './runDir.js';
import {
  addTags,
  buildTestConfig,
  placeRecipes,
  projectNameOf,
  recipeProject,
  type TestConfig,
  type ViteConfig,
} from './testConfig.js';

/** As much of a Vite plugin as this is: its types differ from version to version. */
export type RecipesPlugin = {
  name: string;
  enforce: 'pre';
  config(config: object): Promise<object | undefined>;
  configResolved(config: { plugins: readonly VitePlugin[] }): void;
  configureVitest(context: VitestContext): Promise<void>;
  load(this: { addWatchFile?(file: string): void }, id: string): Promise<object> | undefined;
};

type VitestContext = {
  project: { name: string; config: { tags?: { name: string }[]; benchmark?: { enabled?: boolean } } };
  vitest: WatchedVitest & { config: VitestConfig };
  defineCacheKeyGenerator?: DefineCacheKey;
  /** Its name in Vitest 4. */
  experimental_defineCacheKeyGenerator?: DefineCacheKey;
};

type VitestConfig = {
  reporters: Reporters;
  outputFile?: unknown;
  coverage?: { reportsDirectory?: string };
  watchTriggerPatterns?: WatchTrigger[];
};

type DefineCacheKey = (generate: (request: { id: string }) => string | false | undefined) => void;

/** Where Vitest 4 and 5 keep attachments and blobs. */
const hostDirs = ['.vitest-attachments', '.vitest-reports', '.vitest'];

export function recipes(options: RecipesOptions): RecipesPlugin {
  return createPlugin(options);
}

/** `root`: the config whose recipes these are, for the plugin of a project that was made for them. */
function createPlugin(options: RecipesOptions, parentConfig?: ViteConfig): RecipesPlugin {
  const documents = new DocumentModules(options);
  let isActive = false;
  let configuredReporters: TestConfig['reporters'];
  return {
    name: 'recipewright',
    enforce: 'pre',
    async config(config: ViteConfig) {
      const { root: folder = process.cwd(), test = {} } = config;
      const placement = parentConfig ? 'here' : placeRecipes(config, options);
      isActive = placement === 'here';
      if (placement === 'elsewhere') return undefined;
      if (placement === 'own') return { test: { projects: [recipeProject(config, createPlugin(options, config))] } };
      const dir = resolve(folder);
      await documents.open(dir);
      configuredReporters = (parentConfig?.test ?? test).reporters;
      expectProject(projectNameOf(test), documents);
      if (openRunDir(dir)) rememberTree(dir, ownFilesOf(dir, configuredOutputDir(configuredReporters), hostDirs));
      return { test: buildTestConfig(test, documents) };
    },
    configResolved({ plugins }) {
      if (isActive) bypassViteJson(plugins, (id) => documents.has(id));
    },
    async configureVitest(context) {
      const { vitest, project } = context;
      // Vitest 5 makes a project for the benchmarks of each other one.
      if (!isActive || project.config.benchmark?.enabled) return;
      addTags(project.config, documents);
      includeProject(project.name, documents);
      const { reporters, outputFile, coverage } = vitest.config;
      disregardFiles([...reporterFiles(reporters), ...pathsIn(outputFile), ...pathsIn(coverage?.reportsDirectory)]);
      placeReporters(reporters, configuredReporters, documents);
      vitest.config.watchTriggerPatterns = [...(vitest.config.watchTriggerPatterns ?? []), createWatchTrigger(documents, vitest)];
      // Vitest may keep what a module became; options, catalogs and this package decide that, too.
      const defineCacheKey = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      defineCacheKey?.(({ id }) => (documents.has(id) ? documents.cacheKeyOf(id) : undefined));
    },
    load(id) {
      if (!isActive || !documents.has(id)) return undefined;
      const module = documents.textOf(id);
      for (const catalog of documents.catalogsOf(id)) this.addWatchFile?.(catalog);
      return documents.warnAboutOwnActions(id).then(() => ({ ...module, moduleType: 'js' }));
    },
  };
}

// What an edited file makes run again besides itself. Vite looks for no imports in what is called .json, so Vitest cannot know.

/** `testsToRun`: nothing at all leaves the file to Vitest. */
export type WatchTrigger = { pattern: RegExp; testsToRun(file: string): string[] | undefined };

type GraphModule = { file: string | null; importers: Set<GraphModule> };
type ModuleGraph = { getModulesByFile(file: string): Set<GraphModule> | undefined };

/** As much of Vitest as this asks. */
export type WatchedVitest = { projects?: readonly { vite: { environments: Record<string, { moduleGraph: ModuleGraph }> } }[] };

export function createWatchTrigger(documents: DocumentModules, vitest: WatchedVitest): WatchTrigger {
  return {
    pattern: /./,
    testsToRun(file) {
      const dependents = [file, ...importersOf(file, vitest)].flatMap((changed) => documents.dependentsOf(changed));
      if (dependents.length === 0) return undefined;
      // A catalog that others use has examples of its own, and Vitest asks nobody else now.
      return [...new Set(documents.has(file) ? [file, ...dependents] : dependents)];
    },
  };
}

/** The setup module may import what was changed. */
function importersOf(file: string, { projects = [] }: WatchedVitest): string[] {
  const graphs = projects.flatMap(({ vite }) => Object.values(vite.environments).map(({ moduleGraph }) => moduleGraph));
  const seen = new Set(graphs.flatMap((graph) => [...(graph.getModulesByFile(file) ?? [])]));
  for (const module of seen) for (const importer of module.importers) seen.add(importer);
  return [...seen].flatMap((module) => module.file ?? []);
}
