// What the tests of one project share: its config, its actions, its `test`.
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
  /** Values for recipes, from `use`: they beat those of the config. */
  recipeOptions: RecipeValues;
  /** Finds what a step of a flow-spec means where its words alone do not; it goes before the one of the setup module. */
  targetResolver: TargetResolver | undefined;
  /** Runs a recipe, or one flow, as a step of a native test. */
  recipe: RecipeFixture;
  recipeDocument: TestCleanup;
  recipeRun: RecipeRun;
};

/** Playwright's test with the fixtures that run a recipe. */
export type RecipeTest =
  typeof base extends TestType<infer TestArgs, infer WorkerArgs> ? TestType<TestArgs & RecipeFixtures, WorkerArgs> : never;

export type SetupModule = { default?: Setup; test?: RecipeTest };

export type ProjectContext = {
  project: HostProject;
  /** Of the app that runs already, in which its recipes run. */
  port?: number | undefined;
  equipment: Capabilities;
  /** For a document, which may lie in another project. */
  loadOptions(document: string): LoadOptions;
};

/** One whose recipes are tests of their own; `test` is the one that the project extends. */
export type TestProjectContext = ProjectContext & { test: RecipeTest };

export function openProjectContext(project: HostProject, setup: SetupModule, port?: number): ProjectContext {
  const problem = setup.default === undefined ? undefined : validateSetup(setup.default);
  if (problem !== undefined) throw new Error(`The setup module ${project.setupFile ?? ''} cannot be used: ${problem}.`);
  const equipment = createCapabilities({
    ...(setup.default ? { setup: setup.default } : {}),
    ...formatSettingsOf(project.config),
  });
  const byRoot = new Map<string, LoadOptions>();
  const byFolder = new Map<string, LoadOptions>();
  const given: InputSources = { env: process.env, config: project.config.inputs ?? {}, ...createPortInput(port) };
  return {
    ...{ project, port, equipment },
    loadOptions(document) {
      const folder = dirname(document);
      const cached = byFolder.get(folder);
      if (cached) return cached;
      const projectRoot = findRootFor(document, project);
      const known = byRoot.get(projectRoot) ?? loadOptionsOf({ config: project.config, equipment, projectRoot, given });
      byRoot.set(projectRoot, known);
      byFolder.set(folder, known);
      return known;
    },
  };
}
/** `close` ends the session, and then those who look on; `leave` stops listening to its pages, which costs nothing once they are closed. */

export type OpenSession = { session: Session; close(): ReturnType<Session['close']>; stopListening(): void };
/** What is done last, after the fixtures of the recipe: pages that live on are not listened to any more. */

export type TestCleanup = { stopListening?(): void };
/** What the body of the test leaves for the fixture that ends it. */

export type RecipeRun = { open?: OpenSession; id?: string; place?: Place; verdict?: Verdict; values: RecipeValues };

// The `recipe` fixture: a native test runs a recipe, or one flow of a catalog, as a step of its own.

type FixtureValues = Readonly<Record<string, unknown>>;

export type RunInTestOptions = {
  /** Values for the inputs of the recipe, which beat all others. */
  inputs?: Readonly<Record<string, unknown>>;
  /** What people say to its nodes, over what the project says. */
  answers?: RecipeValues['answers'];
  /** What its nodes need, such as `{ page }`. */
  fixtures?: FixtureValues;
};

export type RecipeFixture = {
  /** The file is looked for beside the test, then from the root of the project, then as the end of a recipe's path in it. Throws unless the verdict is pass. */
  run(file: string, options?: RunInTestOptions): Promise<Verdict>;
  /** Calls a flow of the project's catalogs, and gives the outputs of its nodes. Throws unless the verdict is pass. */
  call(flow: string, params?: object, fixtures?: FixtureValues): Promise<Readonly<Record<string, unknown>>>;
};
