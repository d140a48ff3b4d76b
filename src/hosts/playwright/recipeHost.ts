// What the tests of one project share: its config, its actions, its `test`.
import { dirname } from 'node:path';
import type { test as base, TestType } from '@playwright/test';
import type { LoadOptions } from '../../check/loadRecipe.js';
import type { TargetResolver } from '../../formats/flowSpec/settings.js';
import { type Capabilities, createCapabilities } from '../../registry/capabilities.js';
import type { Setup } from '../../registry/setup.js';
import type { InputSources } from '../../run/inputs/resolveInputs.js';
import { formatSettingsOf, loadOptionsOf } from '../../run/project/projectSettings.js';
import { validateSetup } from '../../run/project/validateSetup.js';
import { givenPort } from './attachedPort.js';
import { type HostProject, type RecipeValues, rootFor } from './hostProject.js';
import type { RecipeFixture } from './recipeFixture.js';
import type { Afterwards, RecipeRun } from './recipeRun.js';

export type RecipeFixtures = {
  /** Values for recipes, from `use`: they beat those of the config. */
  recipeOptions: RecipeValues;
  /** Finds what a step of a flow-spec means where its words alone do not; it goes before the one of the setup module. */
  targetResolver: TargetResolver | undefined;
  /** Runs a recipe, or one flow, as a step of a native test. */
  recipe: RecipeFixture;
  recipeDocument: Afterwards;
  recipeRun: RecipeRun;
};

/** Playwright's test with the fixtures that run a recipe. */
export type RecipeTest =
  typeof base extends TestType<infer TestArgs, infer WorkerArgs> ? TestType<TestArgs & RecipeFixtures, WorkerArgs> : never;

export type SetupModule = { default?: Setup; test?: RecipeTest };

export type RecipeHost = {
  project: HostProject;
  /** Of the app that runs already, in which its recipes run. */
  port?: number | undefined;
  equipment: Capabilities;
  /** For a document, which may lie in another project. */
  loadOptions(document: string): LoadOptions;
};

/** One whose recipes are tests of their own; `test` is the one that the project extends. */
export type TestingHost = RecipeHost & { test: RecipeTest };

export function openHost(project: HostProject, setup: SetupModule, port?: number): RecipeHost {
  const problem = setup.default === undefined ? undefined : validateSetup(setup.default);
  if (problem !== undefined) throw new Error(`The setup module ${project.setupFile ?? ''} cannot be used: ${problem}.`);
  const equipment = createCapabilities({
    ...(setup.default ? { setup: setup.default } : {}),
    ...formatSettingsOf(project.config),
  });
  const byRoot = new Map<string, LoadOptions>();
  const byFolder = new Map<string, LoadOptions>();
  const given: InputSources = { env: process.env, config: project.config.inputs ?? {}, ...givenPort(port) };
  return {
    ...{ project, port, equipment },
    loadOptions(document) {
      const folder = dirname(document);
      const before = byFolder.get(folder);
      if (before) return before;
      const projectRoot = rootFor(document, project);
      const known = byRoot.get(projectRoot) ?? loadOptionsOf({ config: project.config, equipment, projectRoot, given });
      byRoot.set(projectRoot, known);
      byFolder.set(folder, known);
      return known;
    },
  };
}
