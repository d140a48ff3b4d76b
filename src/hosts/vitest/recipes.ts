// The Vite plugin that makes test modules of documents.
import { resolve } from 'node:path';
import type { RunOptions } from '../plain/prepareRun.js';
import { DocumentModules } from './documentModules.js';
import { leaveToUs, type OtherPlugin } from './leaveToUs.js';
import { placeReporters, type Reporters } from './placeReporters.js';
import { rerunBy, type WatchedVitest, type WatchTrigger } from './rerunBy.js';
import { openRunDir } from './runDir.js';
import { type Sharing, shareForks } from './sharedForks.js';
import { type TestConfig, testConfig } from './testConfig.js';

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
  config(config: object): Promise<object>;
  configResolved(config: { plugins: readonly OtherPlugin[] }): void;
  configureVitest(context: VitestContext): Promise<void>;
  load(this: { addWatchFile?(file: string): void }, id: string): Promise<object> | undefined;
};

type VitestContext = {
  vitest: WatchedVitest & { config: { reporters: Reporters; watchTriggerPatterns?: WatchTrigger[] } };
  defineCacheKeyGenerator?: DefineCacheKey;
  /** Its name in Vitest 4. */
  experimental_defineCacheKeyGenerator?: DefineCacheKey;
};

type DefineCacheKey = (generate: (asked: { id: string }) => string | false | undefined) => void;

export function recipes(options: RecipesOptions): RecipesPlugin {
  const documents = new DocumentModules(options);
  let given: TestConfig['reporters'];
  return {
    name: 'recipewright',
    enforce: 'pre',
    async config(config) {
      const { root = process.cwd(), test = {} } = config as { root?: string; test?: TestConfig };
      await documents.open(resolve(root));
      openRunDir(resolve(root));
      given = test.reporters;
      return { test: testConfig(test, documents) };
    },
    configResolved: ({ plugins }) => leaveToUs(plugins, (id) => documents.has(id)),
    async configureVitest(context) {
      const { vitest } = context;
      placeReporters(vitest.config.reporters, given);
      vitest.config.watchTriggerPatterns = [...(vitest.config.watchTriggerPatterns ?? []), rerunBy(documents, vitest)];
      // Vitest may keep what a module became; options, catalogs and this package decide that, too.
      const define = context.defineCacheKeyGenerator ?? context.experimental_defineCacheKeyGenerator;
      define?.(({ id }) => (documents.has(id) ? documents.cacheKeyOf(id) : undefined));
      if (!options.ownProcess) await shareForks(context as unknown as Sharing, (file) => documents.has(file));
    },
    load(id) {
      if (!documents.has(id)) return undefined;
      const module = documents.textOf(id);
      for (const catalog of documents.catalogsOf(id)) this.addWatchFile?.(catalog);
      return documents.decide(id).then(() => ({ ...module, moduleType: 'js' }));
    },
  };
}
