// The Vite plugin that makes test modules of documents.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { readDocument } from '../../document/readDocument.js';
import { tool } from '../../run/tool.js';
import { findFiles, readBytesIfThere } from '../../system/files.js';
import { leaveToUs, type OtherPlugin } from './leaveToUs.js';
import { moduleText } from './moduleText.js';
import { documentsOfRun, openRunDir } from './runDir.js';
import { testsIn } from './testsIn.js';

export type RecipesOptions = {
  /** Which documents are tests, relative to the root of the Vitest project. */
  recipes: string | readonly string[];
  /** The module with the project's own actions, relative to the same. */
  setup?: string;
};

/** As much of a Vite plugin as this is: its types differ from version to version. */
export type RecipesPlugin = {
  name: string;
  enforce: 'pre';
  config(config: object): object;
  configResolved(config: { plugins: readonly OtherPlugin[] }): void;
  configureVitest(context: VitestContext): void;
  load(this: { addWatchFile?(file: string): void }, id: string): object | undefined;
};

type VitestContext = { experimental_defineCacheKeyGenerator?(generate: (asked: { id: string }) => string | undefined): void };

const registerModule = new URL('./vitest-register.js', import.meta.url).href;
const defaultInclude = ['**/*.{test,spec}.?(c|m)[jt]s?(x)'];

type TestConfig = { include?: string[]; tags?: object[]; strictTags?: boolean; reporters?: unknown };

// Vite puts lists together: what is given here comes after what the project has.
function testConfig({ include, tags, strictTags, reporters }: TestConfig, patterns: string[], own: string[]): object {
  return {
    include: include ? patterns : [...defaultInclude, ...patterns],
    // Claims are tags, and a project that has none of its own need not declare those that come while it is watched.
    tags: [...new Set(own)].map((name) => ({ name })),
    ...(strictTags === undefined && tags === undefined ? { strictTags: false } : {}),
    reporters: reporters === undefined ? ['default', reporterModule] : mentions(reporters) ? [] : [reporterModule],
  };
}

const reporterModule = 'recipewright/vitest/reporter';

function mentions(reporters: unknown): boolean {
  return JSON.stringify(reporters).includes(reporterModule);
}

function tagsIn(file: string): string[] {
  const { document } = readDocument(file, readBytesIfThere(file) ?? Buffer.alloc(0));
  return document ? testsIn(document).flatMap(({ tags }) => tags) : [];
}

export function recipes(options: RecipesOptions): RecipesPlugin {
  const patterns = [options.recipes].flat();
  let root = process.cwd();
  const files = documentsOfRun();
  const look = (): void => {
    for (const file of findFiles(root, patterns, createRequire(import.meta.url))) files.add(file);
  };
  const isOurs = (file: string): boolean => {
    // A document that was not there when the run began.
    if (file.endsWith('.json') && !files.has(file)) look();
    return files.has(file);
  };
  const textOf = (file: string): object => {
    const { document, text } = readDocument(file, readBytesIfThere(file) ?? Buffer.alloc(0));
    const setup = options.setup === undefined ? undefined : resolve(root, options.setup);
    const places = (document ? testsIn(document) : []).map(({ place }) => place);
    const tests = places.length > 0 ? places : [{ file, line: 1, column: 1 }];
    return { ...moduleText({ file, text, registerModule, setup, tests, options: { root } }), moduleType: 'js' };
  };
  return {
    name: 'recipewright',
    enforce: 'pre',
    config(given) {
      const { root: asked = process.cwd(), test = {} } = given as { root?: string; test?: TestConfig };
      root = resolve(asked);
      look();
      if (files.size === 0) throw new Error(`No document matches ${JSON.stringify(patterns)} in ${root}.`);
      openRunDir(root);
      return { test: testConfig(test, patterns, [...files].flatMap(tagsIn)) };
    },
    configResolved: ({ plugins }) => leaveToUs(plugins, isOurs),
    // Vitest may keep what a module became; that depends on the options, too.
    configureVitest: ({ experimental_defineCacheKeyGenerator: define }) =>
      define?.(({ id }) => (isOurs(id) ? JSON.stringify([tool.version, root, options]) : undefined)),
    load(id) {
      return isOurs(id) ? textOf(id) : undefined;
    },
  };
}
