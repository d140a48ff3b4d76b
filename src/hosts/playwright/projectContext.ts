// The context that the tests of one project share: its config, its actions and its `test`. Also defines the types of our fixtures.
import { dirname } from 'node:path';
import type { test as base, TestType } from '@playwright/test';
import type { LoadOptions } from '../../check/loadRecipe.js';
import type { Place } from '../../document/finding.js';
import type { Verdict } from '../../evidence/verdict.js';
import type { TargetResolver } from '../../formats/flowSpec/settings.js';
import { type Capabilities, createCapabilities } from '../../registry/capabilities.js';
import type { Setup } from '../../registry/setup.js';
import type { InputSources } from '../../run/inputs/resolveInputs.js';
import { formatSettingsOf, loadOptionsOf } from '../../run/project/projectSettings.js';
import { validateSetup } from '../../run/project/validateSetup.js';
import type { Session } from '../../run/session.js';
import { createPortInput } from './attachedPort.js';
import { findRootFor, type HostProject, type RecipeValues } from './hostProject.js';

export type RecipeFixtures = {
  /** Values for recipes, from `use`. They take precedence over those of the config. */
  recipeOptions: RecipeValues;
  /** Resolves the targets of flow-spec steps that the text does not identify. Takes precedence over the resolver of the setup module. */
  targetResolver: TargetResolver | undefined;
  /** Runs a recipe, or one flow, as a step of a native test. */
  recipe: RecipeFixture;
  /** Begins the package of a recipe that runs as its own test. */
  recipeDocument: TestCleanup;
  /** Ends the run of a recipe that runs as its own test. */
  recipeRun: RecipeRun;
};

/** Playwright's test with the fixtures that run a recipe. */
export type RecipeTest =
  typeof base extends TestType<infer TestArgs, infer WorkerArgs> ? TestType<TestArgs & RecipeFixtures, WorkerArgs> : never;

export type SetupModule = { default?: Setup; test?: RecipeTest };

export type ProjectContext = {
  project: HostProject;
  /** The debugging port of the running app that its recipes attach to. */
  port?: number | undefined;
  capabilities: Capabilities;
  /** Returns the options for a document, which may lie in another project. */
  loadOptions(document: string): LoadOptions;
};

/** The context of recipes that run as their own tests. `test`: the `test` that the setup module exports. */
export type TestProjectContext = ProjectContext & { test: RecipeTest };

export function openProjectContext(project: HostProject, setup: SetupModule, port?: number): ProjectContext {
  const problem = setup.default === undefined ? undefined : validateSetup(setup.default);
  if (problem !== undefined) throw new Error(`The setup module ${project.setupFile ?? ''} is invalid: ${problem}.`);
  const capabilities = createCapabilities({
    ...(setup.default ? { setup: setup.default } : {}),
    ...formatSettingsOf(project.config),
  });
  const byRoot = new Map<string, LoadOptions>();
  const byFolder = new Map<string, LoadOptions>();
  const inputSources: InputSources = { env: process.env, config: project.config.inputs ?? {}, ...createPortInput(port) };
  return {
    project,
    port,
    capabilities,
    loadOptions(document) {
      const folder = dirname(document);
      const cached = byFolder.get(folder);
      if (cached) return cached;
      const projectRoot = findRootFor(document, project);
      const options =
        byRoot.get(projectRoot) ?? loadOptionsOf({ config: project.config, capabilities, projectRoot, inputSources });
      byRoot.set(projectRoot, options);
      byFolder.set(folder, options);
      return options;
    },
  };
}

export type OpenSession = {
  session: Session;
  /** Ends the session and then the recorder of its pages. */
  close(): ReturnType<Session['close']>;
  /** Removes the listeners of pages that outlive the session. */
  stopListening(): void;
};

/** Cleanup that runs after all other fixtures are torn down. */
export type TestCleanup = { stopListening?(): void };

/** The state of a run, which the test body sets and the fixture that ends the run reads. */
export type RecipeRun = { open?: OpenSession; id?: string; place?: Place; verdict?: Verdict; values: RecipeValues };

type FixtureValues = Readonly<Record<string, unknown>>;

export type RunInTestOptions = {
  /** Values for the inputs of the recipe. They take precedence over all others. */
  inputs?: Readonly<Record<string, unknown>>;
  /** Answers to its `manual` nodes. They take precedence over those of the project. */
  answers?: RecipeValues['answers'];
  /** The fixtures that its nodes need, such as `{ page }`. */
  fixtures?: FixtureValues;
};

export type RecipeFixture = {
  /**
   * Runs a recipe. The file is relative to the test or to the root of the project, or the end of the path of one recipe.
   * @throws unless the verdict is pass
   */
  run(file: string, options?: RunInTestOptions): Promise<Verdict>;
  /**
   * Calls a flow of the project's catalogs and returns its outputs.
   * @throws unless the verdict is pass
   */
  call(flow: string, params?: object, fixtures?: FixtureValues): Promise<Readonly<Record<string, unknown>>>;
};
