// What the tests of one project share: its config, its actions, its `test`.
import { dirname } from 'node:path';
import type { test as recipeTest } from '../../../fixtures/recipeTest.js';
import { type Equipment, equip } from '../../actions/equipment.js';
import type { Setup } from '../../actions/setup.js';
import type { LoadOptions } from '../../check/loadRecipe.js';
import type { GivenInputs } from '../../run/inputs.js';
import { formatsOf, loadOptionsOf } from '../../run/projectSettings.js';
import { unsoundIn } from '../../run/soundSetup.js';
import { givenPort } from './attachedPort.js';
import { type HostProject, rootFor } from './hostProject.js';

export type SetupModule = { default?: Setup; test?: typeof recipeTest };

export type RecipeHost = {
  project: HostProject;
  /** Of the app that runs already, in which its recipes run. */
  port?: number | undefined;
  equipment: Equipment;
  /** The one that the project extends. */
  test?: typeof recipeTest;
  /** For a document, which may lie in another project. */
  loadOptions(document: string): LoadOptions;
};

export function openHost(project: HostProject, setup: SetupModule, port?: number): RecipeHost {
  const problem = setup.default === undefined ? undefined : unsoundIn(setup.default);
  if (problem !== undefined) throw new Error(`The setup module ${project.setupFile ?? ''} cannot be used: ${problem}.`);
  const equipment = equip({
    ...(setup.default ? { setup: setup.default } : {}),
    ...formatsOf(project.config),
  });
  const byRoot = new Map<string, LoadOptions>();
  const byFolder = new Map<string, LoadOptions>();
  const given: GivenInputs = { env: process.env, config: project.config.inputs ?? {}, ...givenPort(port) };
  return {
    ...{ project, port, equipment, ...(setup.test ? { test: setup.test } : {}) },
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
