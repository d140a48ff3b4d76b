// The Vite plugin that turns recipes into test modules.
import { resolve } from 'node:path';
import { ignoreReporterFiles, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
import { listPaths, listReporterFiles } from '../shared/reporterFiles.js';
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

/** The hooks of a Vite plugin that this plugin has. Vite's own types differ between versions. */
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
  /** The name of `defineCacheKeyGenerator` in Vitest 4. */
  experimental_defineCacheKeyGenerator?: DefineCacheKey;
};

type VitestConfig = {
  reporters: Reporters;
  outputFile?: unknown;
  coverage?: { reportsDirectory?: string };
  watchTriggerPatterns?: WatchTrigger[];
};

type DefineCacheKey = (generate: (request: { id: string }) => string | false | undefined) => void;

/** The default directories of Vitest 4 and 5 for attachments and blobs. */
const hostDirs = ['.vitest-attachments', '.vitest-reports', '.vitest'];

export function recipes(options: RecipesOptions): RecipesPlugin {
  return createPlugin(options);
}

/** `parentConfig`: the config with `test.projects`, when this plugin belongs to the project that was added for recipes. */
function createPlugin(options: RecipesOptions, parentConfig?: ViteConfig): RecipesPlugin {
  const documents = new DocumentModules(options);
  let isActive = false;
  let configuredReporters: TestConfig['reporters'];
  return {
    name: 'recipewright',
    enforce: 'pre',
    async config(config: ViteConfig) {
      const { root = process.cwd(), test = {} } = config;
      const placement = parentConfig ? 'here' : placeRecipes(config, options);
      isActive = placement === 'here';
      if (placement === 'elsewhere') return undefined;
      if (placement === 'own') return { test: { projects: [recipeProject(config, createPlugin(options, config))] } };
      const dir = resolve(root);
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
      // Vitest 5 adds a project for the benchmarks of each project.
      if (!isActive || project.config.benchmark?.enabled) return;
      addTags(project.config, documents);
      includeProject(project.name, documents);
      const { reporters, outputFile, coverage } = vitest.config;
      ignoreReporterFiles([...listReporterFiles(reporters), ...listPaths(outputFile), ...listPaths(coverage?.reportsDirectory)]);
      placeReporters(reporters, configuredReporters, documents);
      vitest.config.watchTriggerPatterns = [...(vitest.config.watchTriggerPatterns ?? []), createWatchTrigger(documents, vitest)];
      // Vitest may cache transformed modules, but they also depend on options, catalogs and the version of this package.
      const defineCacheKey = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      defineCacheKey?.(({ id }) => (documents.has(id) ? documents.createCacheKey(id) : undefined));
    },
    load(id) {
      if (!isActive || !documents.has(id)) return undefined;
      const module = documents.buildModule(id);
      for (const catalog of documents.listCatalogs(id)) this.addWatchFile?.(catalog);
      return documents.warnAboutOwnActions(id).then(() => ({ ...module, moduleType: 'js' }));
    },
  };
}

/** `testsToRun` returns undefined when Vitest itself decides which tests run. */
type WatchTrigger = { pattern: RegExp; testsToRun(file: string): string[] | undefined };

type GraphModule = { file: string | null; importers: Set<GraphModule> };
type ModuleGraph = { getModulesByFile(file: string): Set<GraphModule> | undefined };

/** The part of Vitest that a watch trigger needs. */
type WatchedVitest = { projects?: readonly { vite: { environments: Record<string, { moduleGraph: ModuleGraph }> } }[] };

/** Selects the documents that run again when a file changes. Vitest does not know them, because Vite finds no imports in `.json` files. */
function createWatchTrigger(documents: DocumentModules, vitest: WatchedVitest): WatchTrigger {
  return {
    pattern: /./,
    testsToRun(file) {
      const dependents = [file, ...listImporters(file, vitest)].flatMap((changed) => documents.listDependents(changed));
      if (dependents.length === 0) return undefined;
      // An edited catalog has examples of its own, and Vitest does not add the edited file when a trigger returns others.
      return [...new Set(documents.has(file) ? [file, ...dependents] : dependents)];
    },
  };
}

/** Lists the modules that import the changed file, directly or not: the setup module may be one of them. */
function listImporters(file: string, { projects = [] }: WatchedVitest): string[] {
  const graphs = projects.flatMap(({ vite }) => Object.values(vite.environments).map(({ moduleGraph }) => moduleGraph));
  const modules = new Set(graphs.flatMap((graph) => [...(graph.getModulesByFile(file) ?? [])]));
  for (const module of modules) for (const importer of module.importers) modules.add(importer);
  return [...modules].flatMap((module) => module.file ?? []);
}
