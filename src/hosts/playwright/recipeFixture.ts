// The `recipe` fixture: a native test runs a recipe, or one flow of a catalog, as a step of its own.
import { dirname } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { loadCall } from '../../check/loadCatalog.js';
import { type LoadResult, loadRecipe } from '../../check/loadRecipe.js';
import type { JournalLine } from '../../evidence/journal.js';
import { recipeId } from '../../evidence/runIdentity.js';
import type { Verdict } from '../../evidence/verdict.js';
import { firstCall } from '../../formats/classic/catalogExample.js';
import { findFlow } from './findFlow.js';
import { findRecipe } from './findRecipe.js';
import type { RecipeValues } from './hostProject.js';
import { invalidError } from './invalidError.js';
import { hostOf } from './knownHosts.js';
import { type Nested, NestedRuns } from './nestedRuns.js';

type Fixtures = Readonly<Record<string, unknown>>;

export type RunInTestOptions = {
  /** Values for the inputs of the recipe, which beat all others. */
  inputs?: Readonly<Record<string, unknown>>;
  /** What people say to its nodes, over what the project says. */
  answers?: RecipeValues['answers'];
  /** What its nodes need, such as `{ page }`. */
  fixtures?: Fixtures;
};

export type RecipeFixture = {
  /** The file is looked for beside the test, then from the root of the project, then as the end of a recipe's path in it. Throws unless the verdict is pass. */
  run(file: string, options?: RunInTestOptions): Promise<Verdict>;
  /** Calls a flow of the project's catalogs, and gives the outputs of its nodes. Throws unless the verdict is pass. */
  call(flow: string, params?: object, fixtures?: Fixtures): Promise<Readonly<Record<string, unknown>>>;
};

export function recipeFixture(values: RecipeValues, testInfo: TestInfo): { recipe: RecipeFixture; close(): Promise<void> } {
  const runs = new NestedRuns(testInfo, values);
  const recipe: RecipeFixture = {
    run: (file, { inputs, answers, fixtures = {} } = {}) =>
      runs.start({ method: 'run', name: file }, async () => {
        const host = await hostOf(testInfo);
        const found = findRecipe(file, dirname(testInfo.file), host.project);
        const id = recipeId(found, host.project.projectRoot);
        return { host, id, inputs, answers, fixtures, ...loadedFor(id, loadRecipe(found, host.loadOptions(found))) };
      }),
    call(flow, params = {}, fixtures = {}) {
      let outputs: Readonly<Record<string, unknown>> = {};
      const see = (text: string): void => {
        const line = JSON.parse(text) as JournalLine;
        if (line.t === 'end' && line.path === firstCall) outputs = (line.output as { outputs?: typeof outputs })?.outputs ?? {};
      };
      const verdict = runs.start({ method: 'call', name: flow }, async () => {
        const host = await hostOf(testInfo);
        const document = findFlow(flow, host);
        const catalog = recipeId(document.file, host.project.projectRoot).replace(/\.json$/, '');
        const id = `${catalog}/${encodeURIComponent(flow)}`;
        const load = loadCall({ document, flow, params }, host.loadOptions(document.file));
        return { host, id, fixtures, see, ...loadedFor(flow, load) };
      });
      const given = verdict.then(() => outputs);
      // The end of the test reports an error that nobody listens to.
      given.catch(() => undefined);
      return given;
    },
  };
  return { recipe, close: () => runs.close() };
}

function loadedFor(name: string, { loaded, findings, text }: LoadResult): Pick<Nested, 'loaded' | 'title'> {
  if (loaded) return { loaded, title: `Run ${name}` };
  throw invalidError({ what: name, place: findings[0]?.place }, findings, text);
}
