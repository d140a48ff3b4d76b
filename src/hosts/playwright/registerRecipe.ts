// Called by a shim: declares the recipe as a test that stands in the JSON and asks only for the fixtures its nodes need.
import { basename } from 'node:path';
import type { TestInfo } from '@playwright/test';
import { test as recipeTest } from '../../../fixtures/recipeTest.js';
import { createRegistry } from '../../actions/registry.js';
import type { Setup } from '../../actions/setup.js';
import { type Load, loadRecipe } from '../../check/loadRecipe.js';
import { type Finding, hasErrors, type Place } from '../../document/finding.js';
import { printFinding } from '../../document/printFinding.js';
import { recipeId } from '../../run/recipeId.js';
import { fixturesNeeded } from '../../run/targets.js';
import { compileAt, pointAt } from './atPlace.js';
import { runInTest } from './recipeRun.js';
import { type Identity, wire } from './wire.js';

export type SetupModule = { default?: Setup; test?: typeof recipeTest };

export function registerRecipe(file: string, projectRoot: string, setup: SetupModule): void {
  const test = setup.test ?? recipeTest;
  const registry = createRegistry({ custom: setup.default?.actions ?? [] });
  const load = loadRecipe(file, { registry, projectRoot });
  const { loaded, findings } = load;
  if (!loaded || hasErrors(findings)) {
    registerInvalid(test, file, load);
    return;
  }
  const { recipe, origin } = loaded.compiled;
  const id = recipeId(file, projectRoot);
  const place = origin(recipe.title === undefined ? '' : '/title');
  const tags = ['@recipe', ...recipe.proofTargets.map((target) => `@${target.id.replace(/\s+/g, '-')}`)];
  const identity: Identity = { id, file };
  const annotation = [
    { type: wire.identity, description: JSON.stringify(identity) },
    ...recipe.proofTargets.map(claimAnnotation),
  ];
  const run = (fixtures: Record<string, unknown>, testInfo: TestInfo) =>
    runInTest({ id, loaded, registry, projectRoot, place }, fixtures, testInfo);
  // The one that ends the recipe comes last, so that its teardown still has the others.
  declare(test, place, [...fixturesNeeded(loaded, registry), 'recipeRun'], {
    title: recipe.title ?? id,
    details: { tag: [...new Set(tags)], annotation },
    run,
  });
}

type Declaration = {
  title: string;
  details: { tag?: string[]; annotation?: { type: string; description?: string }[] };
  run: (fixtures: Record<string, unknown>, testInfo: TestInfo) => Promise<void>;
};

// Playwright takes the place of a test from the caller's stack frame and its fixtures from the function's text: both are compiled.
function declare(test: typeof recipeTest, place: Place, fixtures: readonly string[], { title, details, run }: Declaration): void {
  const names = fixtures.join(', ');
  const head = '(test, title, details, run) =>';
  const call = `test(title, details, async ({ ${names} }, testInfo) => run({ ${names} }, testInfo))`;
  compileAt<(...given: unknown[]) => void>(place, head, call)(test, title, details, run);
}

// A file that throws while it loads would keep Playwright from running anything, so it becomes one failing test.
function registerInvalid(test: typeof recipeTest, file: string, { findings, text }: Load): void {
  const errors = findings.filter((finding) => finding.severity === 'error');
  const place = errors[0]?.place ?? { file, line: 1, column: 1 };
  const run = async (): Promise<void> => {
    throw invalidError(errors, text, place);
  };
  declare(test, place, [], { title: `${basename(file)} is a valid recipe`, details: { tag: ['@recipe'] }, run });
}

function invalidError(errors: readonly Finding[], text: string, place: Place): Error {
  const error = new Error(`The recipe is not valid:\n\n${errors.map((finding) => printFinding(finding, text)).join('\n\n')}\n`);
  pointAt(error, place, 'recipe');
  return error;
}

function claimAnnotation({ id, claim }: { id: string; claim: string }): { type: string; description: string } {
  return { type: 'proof target', description: `${id}: ${claim}` };
}
