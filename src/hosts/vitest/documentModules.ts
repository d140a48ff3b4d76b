// The documents of one Vitest project: their files, the modules that Vite loads for them, and the files that they depend on.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { readDocumentFile } from '../../check/readDocumentFile.js';
import { didYouMean } from '../../document/didYouMean.js';
import { omitUndefined } from '../../document/omitUndefined.js';
import type { Document } from '../../document/readDocument.js';
import { ConfigError, loadConfig, type ProjectConfig } from '../../run/project/projectConfig.js';
import { findFiles, readPathKind } from '../../system/files/files.js';
import { findProjectRoot } from '../../system/project.js';
import type { RunOptions } from '../plain/prepareRun.js';
import { portInputName } from '../shared/attachedApp.js';
import { listDeclaredTests, readDeclaredTests } from '../shared/declaredTests.js';
import {
  type CollectedDocument,
  hasPlaywright,
  type OwnActionNode,
  readDocumentNeeds,
  warnAboutOwnActionNodes,
  warnIfPlaywrightIsMissing,
} from './documentNeeds.js';
import { placeTestsAtLine } from './internals/commandLine.js';
import type { SourceMap } from './moduleText.js';
import { buildModuleText } from './moduleText.js';
import { documentsOfRun } from './runDir.js';

export type RecipesOptions = Pick<RunOptions, 'inputs' | 'answers' | 'browser'> & {
  /** Globs of the documents that are tests, relative to the root of the Vitest project. */
  recipes: string | readonly string[];
  /** The module with the project's own actions, relative to the root of the Vitest project. */
  setup?: string;
};

const optionNames = Object.keys({
  recipes: true,
  setup: true,
  inputs: true,
  answers: true,
  browser: true,
} satisfies Record<keyof RecipesOptions, true>);

const registerModule = new URL('./vitest-register.js', import.meta.url).href;

export class DocumentModules {
  readonly patterns: string[];
  private root = process.cwd();
  projectRoot = this.root;
  private config: ProjectConfig = {};
  readonly files = new Set<string>();
  /** The files that each document has used so far. */
  private readonly catalogs = new Map<string, Set<string>>();
  /** Nodes with the project's own actions. Only the setup module knows whether such an action needs a page. */
  private readonly ownActionNodes = new Map<string, { own: readonly OwnActionNode[]; collected: CollectedDocument }>();

  constructor(private readonly options: RecipesOptions) {
    requireKnownOptions(options);
    this.patterns = [options.recipes].flat();
  }

  async open(root: string): Promise<void> {
    this.root = resolve(root);
    const home = findProjectRoot(join(this.root, 'package.json'));
    this.config = await loadConfig(home);
    this.projectRoot = this.config.root ?? home;
    this.findDocuments();
    if (this.files.size === 0)
      throw new Error(`No document matches ${this.searchDescription}. Correct the option "recipes" of the plugin.`);
  }

  /** For messages: the globs, and the directory they are relative to. */
  get searchDescription(): string {
    return `${JSON.stringify(this.patterns)} in ${this.root}`;
  }

  private findDocuments(): void {
    for (const file of findFiles(this.root, this.patterns, createRequire(import.meta.url))) {
      this.files.add(file);
      documentsOfRun().set(file, this.projectRoot);
    }
  }

  has(file: string): boolean {
    // The file may have been created after the run started.
    if (/\.(json|md)$/i.test(file) && !this.files.has(file)) this.findDocuments();
    return this.files.has(file);
  }

  listTags(): string[] {
    return [...new Set([...this.files].flatMap((file) => readDeclaredTests(file, this.projectRoot)).flatMap(({ tags }) => tags))];
  }

  buildModule(file: string): { code: string; map: SourceMap } {
    const { document, text } = readDocumentFile(file, omitUndefined({ ...this.config.limits }));
    const tests = placeTestsAtLine(listDeclaredTests(document ?? { file }, this.projectRoot), file);
    if (document) this.readDependencies(document);
    const { recipes: _recipes, setup: _setup, ...testOptions } = this.options;
    // If the config sets another root, the run finds that config from the document.
    const rootOption = this.config.root === undefined ? { projectRoot: this.projectRoot } : {};
    const options = { ...testOptions, ...rootOption, vitest: versionOf('vitest', this.root) };
    return buildModuleText({ file, text, registerModule, setup: this.setup, tests, options });
  }

  private readDependencies(document: Document): void {
    const { files, needsPage, own, inputs } = readDocumentNeeds(document, this.resolveOptions());
    // A catalog that cannot be read now is still a dependency.
    this.catalogs.set(document.file, new Set([...this.listCatalogs(document.file), ...files]));
    const { projectRoot } = this;
    const collected = { projectRoot, text: document.text, hasPort: this.hasPort(inputs) };
    const hasWarned = warnIfPlaywrightIsMissing(needsPage, collected);
    this.ownActionNodes.set(document.file, { own: hasWarned ? [] : own, collected });
  }

  /** Returns `false` when Vitest must not cache the module, so that the warning about missing Playwright is printed each time. */
  createCacheKey(file: string): string | false {
    const key = JSON.stringify(this.buildModule(file));
    const { own = [] } = this.ownActionNodes.get(file) ?? {};
    return own.length > 0 && this.setup !== undefined && !hasPlaywright(this.projectRoot) ? false : key;
  }

  /** Warns when the project's own actions need Playwright and the project does not have it. */
  async warnAboutOwnActions(file: string): Promise<void> {
    const entry = this.ownActionNodes.get(file);
    if (entry && this.setup !== undefined) await warnAboutOwnActionNodes(entry.own, this.setup, entry.collected);
  }

  // A declared input may get its value from the environment when the test runs.
  private hasPort(declaredInputs: readonly string[]): boolean {
    const inputs = { ...this.config.inputs, ...this.options.inputs };
    const port = this.options.browser?.cdpPort ?? this.config.browser?.cdpPort;
    return port !== undefined || portInputName in inputs || declaredInputs.includes(portInputName);
  }

  listCatalogs(file: string): string[] {
    return [...(this.catalogs.get(file) ?? [])];
  }

  /** The path of the setup module. */
  get setup(): string | undefined {
    const { setup } = this.options;
    return setup === undefined ? this.config.setup : resolve(this.root, setup);
  }

  /** Lists the documents that must run again when `file`, which they depend on, changes. */
  listDependents(file: string): string[] {
    this.forgetDeleted();
    if (file === this.setup) return [...this.files];
    return [...this.catalogs].filter(([, catalogs]) => catalogs.has(file)).map(([document]) => document);
  }

  private forgetDeleted(): void {
    for (const file of this.files) {
      if (readPathKind(file) !== undefined) continue;
      this.files.delete(file);
      this.catalogs.delete(file);
      this.ownActionNodes.delete(file);
      documentsOfRun().delete(file);
    }
  }

  private resolveOptions() {
    const { aliases = {}, libraries = {}, limits = {}, templates } = this.config;
    const { projectRoot } = this;
    return {
      projectRoot,
      templates,
      aliases: new Map(Object.entries(aliases)),
      libraries: new Map(Object.entries(libraries)),
      limits: omitUndefined({ ...limits }),
    };
  }
}

function requireKnownOptions(options: object): void {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`recipewright/vitest has no option ${JSON.stringify(unknown)}. ${didYouMean(unknown, optionNames)}`);
}

function versionOf(name: string, root: string): string {
  return (createRequire(join(root, 'package.json'))(`${name}/package.json`) as { version: string }).version;
}
