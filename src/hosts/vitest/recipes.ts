// The Vite plugin that makes test modules of documents.
import { resolve } from 'node:path';
import { disregardFiles, ownFilesOf, rememberTree } from '../../run/treeAtStart.js';
import type { RunOptions } from '../plain/prepareRun.js';
import { pathsIn, reporterFiles } from '../shared/reporterFiles.js';
import { DocumentModules } from './documentModules.js';
import { leaveToUs, type OtherPlugin } from './leaveToUs.js';
import { outputDirOf, placeReporters, type Reporters } from './placeReporters.js';
import { placeRecipes, recipeProject, type ViteConfig } from './recipeProject.js';
import { rerunBy, type WatchedVitest, type WatchTrigger } from './rerunBy.js';
import { openRunDir } from './runDir.js';
import { expectProject, planProject } from './runPlan.js';
import { type Sharing, shareForks } from './sharedForks.js';
import { addTags, nameOf, type TestConfig, testConfig } from './testConfig.js';

export type RecipesOptions = Pick<RunOptions, 'inputs' | 'answers' | 'browser'> & {
  /** Which documents are tests, relative to the root of the Vitest project. */
  recipes: string | readonly string[];
  /** The module with the project's own actions, relative to the same. */
  setup?: string;
  /** A process for each document, as Vitest has one for each test file: they share processes one after the other otherwise. */
  ownProcess?: boolean;
};

/** As much of a Vite plugin as this is: its types differ from version to version. */
export type RecipesPlugin = {
  name: string;
  enforce: 'pre';
  config(config: object): Promise<object | undefined>;
  configResolved(config: { plugins: readonly OtherPlugin[] }): void;
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

type DefineCacheKey = (generate: (asked: { id: string }) => string | false | undefined) => void;

/** Where Vitest 4 and 5 keep attachments and blobs. */
const hostDirs = ['.vitest-attachments', '.vitest-reports', '.vitest'];

export function recipes(options: RecipesOptions): RecipesPlugin {
  return pluginFor(options);
}

/** `root`: the config whose recipes these are, for the plugin of a project that was made for them. */
function pluginFor(options: RecipesOptions, root?: ViteConfig): RecipesPlugin {
  const documents = new DocumentModules(options);
  let isActive = false;
  let given: TestConfig['reporters'];
  return {
    name: 'recipewright',
    enforce: 'pre',
    async config(config: ViteConfig) {
      const { root: folder = process.cwd(), test = {} } = config;
      const placement = root ? 'here' : placeRecipes(config, options);
      isActive = placement === 'here';
      if (placement === 'elsewhere') return undefined;
      if (placement === 'own') return { test: { projects: [recipeProject(config, pluginFor(options, config))] } };
      const dir = resolve(folder);
      await documents.open(dir);
      given = (root?.test ?? test).reporters;
      expectProject(nameOf(test), documents);
      if (openRunDir(dir)) rememberTree(dir, ownFilesOf(dir, outputDirOf(given), hostDirs));
      return { test: testConfig(test, documents) };
    },
    configResolved({ plugins }) {
      if (isActive) leaveToUs(plugins, (id) => documents.has(id));
    },
    async configureVitest(context) {
      const { vitest, project } = context;
      // Vitest 5 makes a project for the benchmarks of each other one.
      if (!isActive || project.config.benchmark?.enabled) return;
      addTags(project.config, documents);
      planProject(project.name, documents);
      const { reporters, outputFile, coverage } = vitest.config;
      disregardFiles([...reporterFiles(reporters), ...pathsIn(outputFile), ...pathsIn(coverage?.reportsDirectory)]);
      placeReporters(reporters, given, documents);
      vitest.config.watchTriggerPatterns = [...(vitest.config.watchTriggerPatterns ?? []), rerunBy(documents, vitest)];
      // Vitest may keep what a module became; options, catalogs and this package decide that, too.
      const define = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      define?.(({ id }) => (documents.has(id) ? documents.cacheKeyOf(id) : undefined));
      if (!options.ownProcess) await shareForks(context as unknown as Sharing, (file) => documents.has(file));
    },
    load(id) {
      if (!isActive || !documents.has(id)) return undefined;
      const module = documents.textOf(id);
      for (const catalog of documents.catalogsOf(id)) this.addWatchFile?.(catalog);
      return documents.decide(id).then(() => ({ ...module, moduleType: 'js' }));
    },
  };
}
